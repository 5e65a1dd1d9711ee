import {
  ApplicationCommandOptionType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
} from 'discord.js';
import { collectSamples } from '../src/audio/pcm.ts';
import { encodeWav } from '../src/audio/wav.ts';
import { speakLong } from '../src/client/long-speech.ts';
import type { VoiceSummary } from '../src/client/voice-pages.ts';
import type { Language } from '../src/contract/languages.ts';
import { ignoredSettings } from '../src/contract/settings.ts';
import { checkSpeech, type Speech } from '../src/contract/speech.ts';
import type { Command, CommandServices } from '../src/discord/command.ts';
import { deliverFile, deliverVoiceMessage } from '../src/discord/deliver.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { findLanguage, guessLanguage } from '../src/discord/language.ts';
import { mentionNames } from '../src/discord/mentions.ts';
import {
  findVoice,
  languageChoices,
  modelChoices,
  modelFor,
  readSettings,
  SETTING_OPTIONS,
  settingOptions,
  styleChoices,
  voiceChoices,
} from '../src/discord/options.ts';
import { sayAloud } from '../src/discord/say-aloud.ts';
import { sentenceForFault } from '../src/discord/sentences.ts';
import { speakableText } from '../src/discord/text.ts';
import { type Chosen, chosenStyle, chosenVoice } from '../src/discord/voice-choice.ts';
import { UserError } from '../src/errors.ts';
import { memberKey } from '../src/store/member-settings.ts';

/** Code points that one /say may have; longer texts are asked for in parts. */
const MAX_TEXT_LENGTH = 2_000;

/** What Discord lets a string option hold; our own limit answers with a sentence of its own. */
const MAX_OPTION_LENGTH = 6_000;

export const say: Command = {
  data: guildCommand({
    name: 'say',
    description: 'Say a text as a voice message',
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'text',
        description: `What to say, up to ${MAX_TEXT_LENGTH.toLocaleString('en')} characters`,
        required: true,
        max_length: MAX_OPTION_LENGTH,
      },
      autocompleted('voice', 'Who says it (see /voices)'),
      autocompleted('language', 'Language of the text; by default what its letters tell'),
      autocompleted('style', 'How it is said, such as happy or calm'),
      autocompleted('model', 'Speech model; by default the richest one for the language'),
      {
        type: ApplicationCommandOptionType.String,
        name: 'as',
        description: 'What to make of it; by default a voice message',
        choices: [
          { name: 'voice message', value: 'voice_message' },
          { name: 'WAV file', value: 'wav' },
          { name: 'MP3 file', value: 'mp3' },
          { name: 'voice channel', value: 'voice_channel' },
        ],
      },
      ...settingOptions(),
    ],
  }),
  defer: 'public',

  async execute(interaction, answer, services) {
    const { voice: client, encoder, signal } = services;
    const { voice, speech } = await readOrder(interaction, services);
    if (interaction.options.getString('as') === 'voice_channel') {
      await sayAloud(interaction, answer, { voice, speech }, services);
      for (const sentence of notes(speech)) await answer.note(sentence);
      return;
    }
    const make = async () => {
      const sound = await speakLong(client, voice.voice_id, speech, { signal });
      switch (interaction.options.getString('as')) {
        case 'wav': {
          const { sampleRate, chunks } = sound;
          const file = encodeWav({ samples: await collectSamples(chunks), sampleRate });
          return { name: 'speech.wav', file };
        }
        case 'mp3':
          return { name: 'speech.mp3', ...(await encoder.mp3(sound, signal)) };
        default:
          return encoder.voiceMessage(sound, signal);
      }
    };
    // The speech is made while Discord takes note that the bot is at work.
    const [made] = await Promise.all([make(), answer.acknowledge()]);
    if ('waveform' in made) await deliverVoiceMessage(answer, interaction, made);
    else await deliverFile(answer, interaction, made.name, made.file);
    for (const sentence of notes(speech)) await answer.note(sentence);
  },

  async autocomplete(interaction, { catalogue, signal }) {
    const { name, value: typed } = interaction.options.getFocused(true);
    if (name === 'language') return languageChoices(typed, interaction.locale);
    if (name === 'model') return modelChoices(typed);
    const voices = await catalogue.voices({ signal });
    if (name === 'voice') return voiceChoices(voices, typed, languageOf(interaction));
    return styleChoices(voiceOf(interaction, voices), typed);
  },
};

function autocompleted(name: string, description: string) {
  return {
    type: ApplicationCommandOptionType.String,
    name,
    description,
    autocomplete: true,
  } as const;
}

/** The voice that the member named, or the one that the member or the guild has chosen. */
function voiceOf(
  { options }: AutocompleteInteraction | ChatInputCommandInteraction,
  voices: readonly VoiceSummary[],
  language?: string,
  chosen: readonly Chosen[] = [],
): VoiceSummary | undefined {
  const typed = options.getString('voice');
  if (typed !== null) return findVoice(voices, typed);
  return chosenVoice(
    voices,
    language,
    chosen.map(({ voiceId }) => voiceId),
  );
}

/** The language that the member named, or that the text seems to have. */
function languageOf({
  options,
  locale,
}: AutocompleteInteraction | ChatInputCommandInteraction): Language | undefined {
  const typed = options.getString('language');
  return typed === null
    ? guessLanguage(options.getString('text') ?? '', locale)
    : findLanguage(typed, locale);
}

/** What is to be said and by whom, checked by the same rules as the service's. */
async function readOrder(
  interaction: ChatInputCommandInteraction<'cached'>,
  { catalogue, settings, members, signal }: CommandServices,
): Promise<{ voice: VoiceSummary; speech: Speech }> {
  const { options, locale, guild, user } = interaction;
  const [voices, ...chosen] = await Promise.all([
    catalogue.voices({ signal }),
    members.get(memberKey(guild.id, user.id)),
    settings.get(guild.id),
  ]);
  const ownLanguage = chosen.map((choice) => choice.language).find((set) => set !== undefined);
  const language =
    options.getString('language') === null && ownLanguage !== undefined
      ? ownLanguage
      : (languageOf(interaction) ?? options.getString('language') ?? '');
  const voice = voiceOf(interaction, voices, language, chosen);
  if (!voice) {
    throw new UserError(
      `There is no voice “${options.getString('voice') ?? ''}”: pick one from the list that appears while you type, or see /voices.`,
    );
  }
  const typed = options.getString('text', true);
  const text = speakableText(typed, await mentionNames(guild, typed), locale);
  const check = checkSpeech(
    {
      text,
      language,
      style: options.getString('style') ?? chosenStyle(voice, chosen),
      model: options.getString('model') ?? modelFor(language, voice),
      voice_settings: readSettings(options),
    },
    voice,
    MAX_TEXT_LENGTH,
  );
  if (!check.ok) {
    throw new UserError(check.faults.map((fault) => sentenceForFault(fault, locale)).join('\n'));
  }
  return { voice, speech: check.speech };
}

/** What the member may be surprised by. */
function notes({ model, voice_settings: settings = {} }: Speech): string[] {
  const sentences: string[] = [];
  const ignored = ignoredSettings(model, settings).map((name) => `“${SETTING_OPTIONS[name]}”`);
  if (ignored.length > 0) {
    sentences.push(`The model ${model} ignores ${ignored.join(', ')}.`);
  } else if (settings.duration && settings.speed && settings.speed !== 1) {
    const seconds = Number((settings.duration * settings.speed).toFixed(2));
    sentences.push(
      `A duration of ${settings.duration} s with a speed of ${settings.speed} lasts ${seconds} s: the speed multiplies it.`,
    );
  }
  return sentences;
}
