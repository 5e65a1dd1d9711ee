import { GatewayDispatchEvents as Event, GatewayIntentBits as Intent } from 'discord-api-types/v10';

/** Which intent an event needs (documentation, "List of Intents"). Events that are not here always come. */
const INTENT_OF: Partial<Record<Event, Intent>> = {
  [Event.GuildCreate]: Intent.Guilds,
  [Event.GuildUpdate]: Intent.Guilds,
  [Event.GuildDelete]: Intent.Guilds,
  [Event.GuildRoleCreate]: Intent.Guilds,
  [Event.GuildRoleUpdate]: Intent.Guilds,
  [Event.GuildRoleDelete]: Intent.Guilds,
  [Event.ChannelCreate]: Intent.Guilds,
  [Event.ChannelUpdate]: Intent.Guilds,
  [Event.ChannelDelete]: Intent.Guilds,
  [Event.GuildMemberAdd]: Intent.GuildMembers,
  [Event.GuildMemberUpdate]: Intent.GuildMembers,
  [Event.GuildMemberRemove]: Intent.GuildMembers,
  [Event.VoiceStateUpdate]: Intent.GuildVoiceStates,
  [Event.MessageCreate]: Intent.GuildMessages,
  [Event.MessageUpdate]: Intent.GuildMessages,
  [Event.MessageDelete]: Intent.GuildMessages,
  [Event.TypingStart]: Intent.GuildMessageTyping,
};

const KNOWN_INTENTS = Object.values(Intent)
  .filter((bit) => typeof bit === 'number')
  .reduce((all, bit) => all | bit, 0);

export const PRIVILEGED_INTENTS =
  Intent.GuildMembers | Intent.GuildPresences | Intent.MessageContent;

export function areValidIntents(intents: unknown): intents is number {
  return (
    typeof intents === 'number' &&
    Number.isInteger(intents) &&
    intents >= 0 &&
    (intents & ~KNOWN_INTENTS) === 0
  );
}

export function wantsEvent(intents: number, event: Event): boolean {
  const needed = INTENT_OF[event];
  return needed === undefined || (intents & needed) !== 0;
}

interface MessageLike {
  author?: { id: string };
  mentions?: { id: string }[];
}

interface GuildLike {
  members: { user: { id: string } }[];
  voice_states: { user_id: string }[];
}

/**
 * An event as a session with these intents gets it: without MESSAGE_CONTENT, what others wrote is
 * empty unless it mentions the bot; without GUILD_MEMBERS, a guild comes with the bot and those who
 * are in voice (documentation, "Guild Create").
 */
export function withinIntents(intents: number, event: Event, data: object, botId: string): object {
  if (event === Event.GuildCreate && 'members' in data && !(intents & Intent.GuildMembers)) {
    const { members, voice_states } = data as GuildLike;
    const visible = new Set([botId, ...voice_states.map(({ user_id }) => user_id)]);
    return { ...data, members: members.filter(({ user }) => visible.has(user.id)) };
  }
  const isMessage = event === Event.MessageCreate || event === Event.MessageUpdate;
  if (!isMessage || intents & Intent.MessageContent) return data;
  const { author, mentions } = data as MessageLike;
  if (author?.id === botId || mentions?.some(({ id }) => id === botId)) return data;
  return { ...data, content: '', embeds: [], attachments: [], components: [] };
}
