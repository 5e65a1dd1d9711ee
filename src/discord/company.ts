import { type Client, Events, type VoiceState } from 'discord.js';
import type { VoiceSummary } from '../client/voice-pages.ts';
import type { Language } from '../contract/languages.ts';
import type { Logger } from '../log.ts';
import { QueueFullError, type Session } from '../playback/session.ts';
import type { SpeechSource } from '../playback/speech.ts';
import type { GuildSettings } from '../store/guild-settings.ts';
import type { Records } from '../store/records.ts';
import { languageOf } from './language.ts';
import { phrasesFor } from './phrases.ts';
import { spokenName } from './reading.ts';
import { speechInVoice } from './voice-choice.ts';
import type { VoiceHost } from './voice-host.ts';

export interface CompanyOptions {
  client: Client;
  host: Pick<VoiceHost, 'get' | 'leave' | 'tell'>;
  settings: Records<GuildSettings>;
  voices: () => Promise<readonly VoiceSummary[]>;
  speak: SpeechSource;
  log: Logger;
}

/** How Hark minds who is with it in a voice channel. Its owner closes it. */
export interface Company extends Disposable {
  /** Looks who is there, because a setting has changed. */
  look(guildId: string): void;
}

/** Leaves a voice channel where nobody is left, after a while, and says who comes and goes. */
export function mindCompany(options: CompanyOptions): Company {
  const { client, host, settings, log } = options;
  const leaving = new Map<string, NodeJS.Timeout>();

  function peopleWith(session: Session): number {
    const channel = client.channels.cache.get(session.channelId);
    if (!channel?.isVoiceBased()) return 0;
    return channel.members.filter(({ user }) => !user.bot).size;
  }

  async function lookAround(guildId: string): Promise<void> {
    const session = host.get(guildId);
    if (!session || peopleWith(session) > 0) {
      stay(guildId);
      return;
    }
    const { leaveAfterMinutes } = await settings.get(guildId);
    stay(guildId);
    if (leaveAfterMinutes === 0 || host.get(guildId) !== session || peopleWith(session) > 0) return;
    const timer = setTimeout(() => {
      leaving.delete(guildId);
      if (host.get(guildId) !== session || peopleWith(session) > 0) return;
      host.leave(guildId);
      void host.tell(guildId, `Nobody was left in <#${session.channelId}>, so I left, too.`);
    }, leaveAfterMinutes * 60_000);
    leaving.set(guildId, timer);
  }

  function stay(guildId: string): void {
    clearTimeout(leaving.get(guildId));
    leaving.delete(guildId);
  }

  function look(guildId: string): void {
    lookAround(guildId).catch((err: unknown) => {
      log.error({ err, guild: guildId }, 'it is not known who is in the voice channel');
    });
  }

  async function announce(before: VoiceState, after: VoiceState): Promise<void> {
    const { guild, member } = after;
    const session = host.get(guild.id);
    if (!session || !member || member.user.bot || before.channelId === after.channelId) return;
    const came = after.channelId === session.channelId;
    if (!came && before.channelId !== session.channelId) return;
    const { announceJoins, voiceId, style, language: set } = await settings.get(guild.id);
    if (!announceJoins) return;
    const language = (set as Language | undefined) ?? languageOf(guild.preferredLocale) ?? 'en';
    const phrases = phrasesFor(language);
    const name = spokenName(member.displayName, phrases);
    const text = came ? phrases.joined(name) : phrases.left(name);
    const voices = await options.voices();
    const said = speechInVoice({ text, language }, voices, [{ voiceId, style, language }]);
    if (!said) return;
    session.enqueue({
      open: options.speak(said.voice.voice_id, said.speech),
      label: text,
      by: after.client.user.id,
    });
  }

  function onVoiceState(before: VoiceState, after: VoiceState): void {
    look(after.guild.id);
    announce(before, after).catch((err: unknown) => {
      // Where many come at once, not everybody is announced.
      const level = err instanceof QueueFullError ? 'debug' : 'warn';
      log[level]({ err, guild: after.guild.id }, 'somebody was not announced');
    });
  }
  client.on(Events.VoiceStateUpdate, onVoiceState);

  return {
    look,
    [Symbol.dispose]() {
      client.off(Events.VoiceStateUpdate, onVoiceState);
      for (const guildId of leaving.keys()) stay(guildId);
    },
  };
}
