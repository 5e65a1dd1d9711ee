import type { Attachments } from '../attachments.ts';
import type { Commands } from '../commands.ts';
import type { Interactions } from '../interactions.ts';
import type { Messages } from '../messages.ts';
import type { Voice } from '../voice/voice.ts';
import type { Dispatch, World } from '../world.ts';

export interface Application {
  id: string;
  name: string;
}

/** What the routes work on. */
export interface RestContext {
  application: Application;
  world: World;
  messages: Messages;
  attachments: Attachments;
  interactions: Interactions;
  commands: Commands;
  voice: Voice;
  dispatch: Dispatch;
  gatewayUrl: () => string;
  /** Privileged intents that the bot may ask for. */
  privilegedIntents: number;
}
