import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type {
  APIModalInteractionResponseCallbackData,
  InteractionType,
} from 'discord-api-types/v10';
import { refusal } from './errors.ts';
import type { StoredMessage } from './messages.ts';
import type { Channel, Member } from './world.ts';

export interface Choice {
  name: string;
  value: string | number;
}

/**
 * How far the answer has come: nothing yet; "is thinking"; a component's click was taken, its
 * message may change later; answered.
 */
export type AnswerState = 'awaited' | 'deferred' | 'deferredUpdate' | 'answered';

/** One thing that a person did, and what the bot made of it so far. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  readonly member: Member;
  readonly channel: Channel;
  /** The message whose button or menu was used. */
  readonly source: StoredMessage | undefined;
  /** The interaction that opened the modal which was sent. */
  readonly opener: Interaction | undefined;
  /** Name of the command, for the line above the answer. */
  readonly name: string | undefined;
  /** Milliseconds since the epoch after which a first answer is refused. */
  readonly answerBy: number;
  /** Milliseconds since the epoch after which the token is refused. */
  readonly expiresAt: number;
  state: AnswerState;
  /** What `@original` means. */
  original: StoredMessage | undefined;
  /** Messages that the person sees from it, in order, deleted ones too. */
  readonly messages: StoredMessage[];
  choices: Choice[] | undefined;
  modal: APIModalInteractionResponseCallbackData | undefined;
  /** Says `change` after every step. */
  readonly events: EventEmitter<{ change: [] }>;
}

/** What a person did; the rest of an interaction follows from it. */
export type InteractionOrigin = Pick<Interaction, 'type' | 'member' | 'channel'> &
  Partial<Pick<Interaction, 'source' | 'opener' | 'name'>>;

export interface InteractionTimes {
  /** Milliseconds for the first answer; Discord's are 3,000. */
  answerWithin: number;
  /** Milliseconds that a token lives; Discord's are 15 minutes. */
  tokenLife: number;
}

/** The interactions whose tokens still live. */
export class Interactions {
  readonly #nextId: () => string;
  readonly #times: InteractionTimes;
  readonly #byToken = new Map<string, Interaction>();

  constructor(options: { nextId: () => string; times: InteractionTimes }) {
    this.#nextId = options.nextId;
    this.#times = options.times;
  }

  open(given: InteractionOrigin): Interaction {
    const now = Date.now();
    for (const [token, { expiresAt }] of this.#byToken) {
      if (expiresAt > now) break;
      this.#byToken.delete(token);
    }
    const id = this.#nextId();
    const secret = randomBytes(96).toString('base64url');
    const interaction: Interaction = {
      source: undefined,
      opener: undefined,
      name: undefined,
      ...given,
      id,
      token: Buffer.from(`interaction:${id}:${secret}`).toString('base64url'),
      answerBy: now + this.#times.answerWithin,
      expiresAt: now + this.#times.tokenLife,
      state: 'awaited',
      original: undefined,
      messages: [],
      choices: undefined,
      modal: undefined,
      events: new EventEmitter(),
    };
    this.#byToken.set(interaction.token, interaction);
    return interaction;
  }

  /** The interaction that a first answer is for. @throws ApiRefusal 10062, 40060 */
  forAnswer(id: string, token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction?.id !== id) throw refusal(10062);
    if (interaction.state !== 'awaited') throw refusal(40060);
    if (Date.now() > interaction.answerBy) throw refusal(10062);
    return interaction;
  }

  /** The interaction that a token belongs to. @throws ApiRefusal 50027, or 10015 before a first answer */
  forToken(token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (!interaction || Date.now() > interaction.expiresAt) throw refusal(50027);
    if (interaction.state === 'awaited') throw refusal(10015);
    return interaction;
  }

  /** Notes a message as part of what the person sees, once. */
  show(interaction: Interaction, message: StoredMessage): void {
    if (!interaction.messages.includes(message)) interaction.messages.push(message);
  }

  /** Passes on that a message changed to the interactions that it belongs to. */
  messageChanged(message: StoredMessage): void {
    for (const interaction of this.#byToken.values()) {
      if (interaction.messages.includes(message)) interaction.events.emit('change');
    }
  }
}
