import type { AnswerableInteraction, BotServices } from './command.ts';

type Check = (
  interaction: AnswerableInteraction,
  services: Pick<BotServices, 'host'>,
) => string | undefined;

/** What a command may require, each with what the member is told when it is not so. */
const CHECKS = {
  /** Hark is in a voice channel of the guild. */
  session: ({ guildId }, { host }) =>
    host.get(guildId) ? undefined : 'I am in no voice channel: ask me into one with /join.',
  /** Something is being said. */
  speaking: ({ guildId }, { host }) =>
    host.get(guildId)?.queue().speaking ? undefined : 'Nothing is being said at the moment.',
} as const satisfies Record<string, Check>;

export type Requirement = keyof typeof CHECKS;

/** The first requirement that is not met, as a sentence. */
export function refusalFor(
  requirements: readonly Requirement[],
  interaction: AnswerableInteraction,
  services: Pick<BotServices, 'host'>,
): string | undefined {
  for (const requirement of requirements) {
    const refusal = CHECKS[requirement](interaction, services);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
