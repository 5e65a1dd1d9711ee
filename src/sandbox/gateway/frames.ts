import { z } from 'zod';

/** What the bot sends with opcode 2. */
export const Identify = z.object({
  token: z.string(),
  intents: z.unknown().optional(),
  shard: z.tuple([z.int(), z.int()]).optional(),
});

/** Opcode 6. */
export const Resume = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** Opcode 8. */
export const RequestMembers = z.object({ guild_id: z.string(), nonce: z.string().optional() });

/** Opcode 4: the channel to be in, or null to leave voice. */
export const VoiceStateRequest = z.object({
  guild_id: z.string(),
  channel_id: z.string().nullable(),
  self_mute: z.boolean().default(false),
  self_deaf: z.boolean().default(false),
});

export type VoiceStateRequest = z.output<typeof VoiceStateRequest>;
