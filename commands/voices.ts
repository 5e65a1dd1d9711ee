import {
  type APIApplicationCommandBasicOption,
  type APIEmbed,
  ApplicationCommandOptionType,
  AttachmentBuilder,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { VoiceSummary } from '../src/client/voice-pages.ts';
import { textLength } from '../src/contract/limits.ts';
import type { Voice, VoiceFilters } from '../src/contract/voices.ts';
import type { AnswerMessage } from '../src/discord/answer.ts';
import type { Command, CommandServices } from '../src/discord/command.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { findLanguage, guessLanguage, languageName } from '../src/discord/language.ts';
import {
  canBeChosen,
  choiceName,
  describeVoice,
  findVoice,
  languageChoices,
  voiceChoices,
} from '../src/discord/options.ts';
import { cut } from '../src/discord/reading.ts';
import { UserError } from '../src/errors.ts';

const VOICES_A_PAGE = 10;

/** Filters by which /voices searches, as options and as the contract's query parameters. */
const FILTERS = ['language', 'gender', 'age', 'use_case', 'style', 'name'] as const;

/** A custom id holds 100 characters, and the filters of a list travel in its buttons. */
const MAX_FILTER_LENGTH = 24;
const MAX_CUSTOM_ID_LENGTH = 100;

const COLOUR = 0x2f_9e_8f;

/** Code points of what a voice says of itself: ten voices fit into one embed, which takes 4,096. */
const LISTED = { name: 80, traits: 120, description: 180 };

/** Of one voice alone: an embed takes 6,000 in all, 1,024 a field. */
const SHOWN = { name: 200, description: 1_500, field: 1_000, inline: 300 };

type Filters = Pick<VoiceFilters, (typeof FILTERS)[number]>;

/** Where a member is in a list of voices: it travels in the custom ids, so buttons outlive a restart. */
interface Place {
  filters: Filters;
  page: number;
}

export const voices: Command = {
  data: guildCommand({
    name: 'voices',
    description: 'Find a voice and hear it',
    options: [
      text('voice', 'Show this voice and its sample', { autocomplete: true }),
      text('language', 'Voices that speak this language', { autocomplete: true }),
      text('gender', 'Such as female, male or neutral'),
      text('age', 'Such as child, young-adult or elder'),
      text('use_case', 'Such as narration, game or announcement'),
      text('style', 'Voices that have this style, such as happy'),
      text('name', 'Part of the name'),
    ],
  }),
  defer: 'ephemeral',

  async execute(interaction, answer, services) {
    const { options, locale } = interaction;
    const wanted = options.getString('voice');
    if (wanted !== null) {
      const known = findVoice(await services.catalogue.voices(services), wanted);
      if (!known) {
        throw new UserError(
          `There is no voice “${wanted}”: /voices without options lists them all.`,
        );
      }
      await answer.send(await showVoice(known.voice_id, locale, services));
      return;
    }
    const filters: Filters = {};
    for (const name of FILTERS) {
      const typed = options.getString(name)?.trim();
      if (typed)
        filters[name] = name === 'language' ? (findLanguage(typed, locale) ?? typed) : typed;
    }
    await answer.send(await listVoices({ filters, page: 0 }, services));
  },

  async component(interaction, answer, services) {
    const place = readPlace(interaction.customId);
    const voiceId = interaction.isStringSelectMenu() ? interaction.values[0] : undefined;
    const list = await listVoices(place, services);
    if (voiceId === undefined) {
      await answer.send(list);
    } else {
      const shown = await showVoice(voiceId, interaction.locale, services);
      await answer.send({ ...shown, components: list.components ?? [] });
    }
  },

  async autocomplete(interaction, { catalogue, signal }) {
    const { name, value: typed } = interaction.options.getFocused(true);
    if (name === 'language') return languageChoices(typed, interaction.locale);
    const language =
      interaction.options.getString('language') ?? guessLanguage('', interaction.locale);
    return voiceChoices(await catalogue.voices({ signal }), typed, language);
  },
};

function text(
  name: string,
  description: string,
  { autocomplete = false } = {},
): APIApplicationCommandBasicOption {
  const option = { type: ApplicationCommandOptionType.String, name, description } as const;
  return autocomplete ? { ...option, autocomplete } : { ...option, max_length: MAX_FILTER_LENGTH };
}

/** A page of the voices that match, with a menu to pick one and buttons to turn the page. */
async function listVoices(
  { filters, page }: Place,
  { voice: client, signal }: Pick<CommandServices, 'voice' | 'signal'>,
): Promise<AnswerMessage> {
  const found = await client.allVoices({ signal, filters });
  if (found.length === 0) {
    throw new UserError(
      'No voice matches all of that: leave out a filter, or use /voices alone to see all.',
    );
  }
  const pages = Math.ceil(found.length / VOICES_A_PAGE);
  const current = Math.min(page, pages - 1);
  const shown = found.slice(current * VOICES_A_PAGE, (current + 1) * VOICES_A_PAGE);
  const playable = shown.filter(canBeChosen);
  const turn = (label: string, to: number) => ({
    type: ComponentType.Button as const,
    style: ButtonStyle.Secondary as const,
    label,
    custom_id: customId({ filters, page: to }, label),
    disabled: to < 0 || to >= pages,
  });
  return {
    embeds: [
      {
        color: COLOUR,
        title: `${found.length} ${found.length === 1 ? 'voice' : 'voices'}`,
        description: shown.map(listLine).join('\n'),
        footer: { text: `Page ${current + 1} of ${pages}` },
      },
    ],
    components: [
      ...(playable.length > 0
        ? [
            {
              type: ComponentType.ActionRow as const,
              components: [
                {
                  type: ComponentType.StringSelect as const,
                  custom_id: customId({ filters, page: current }, 'hear'),
                  placeholder: 'Hear a voice',
                  options: playable.map((voice) => ({
                    label: choiceName(voice.name),
                    value: voice.voice_id,
                    description: choiceName(describeVoice(voice)),
                  })),
                },
              ],
            },
          ]
        : []),
      ...(pages > 1
        ? [
            {
              type: ComponentType.ActionRow as const,
              components: [turn('Back', current - 1), turn('Next', current + 1)],
            },
          ]
        : []),
    ],
  };
}

function listLine(voice: VoiceSummary): string {
  const traits = [`${voice.gender}, ${voice.age}`, voice.use_cases.join(', ')].filter(Boolean);
  return [
    `**${cut(voice.name, LISTED.name, '…')}** · ${cut(traits.join(' · '), LISTED.traits, '…')}`,
    cut(voice.description, LISTED.description, '…'),
  ].join('\n');
}

/** One voice: what it is, what it can do, and how it sounds. */
async function showVoice(
  voiceId: string,
  locale: string,
  { voice: client, signal }: Pick<CommandServices, 'voice' | 'signal'>,
): Promise<AnswerMessage> {
  const voice = await client.getVoice(voiceId, { signal });
  const files: AttachmentBuilder[] = [];
  const sample = sampleFor(voice, locale);
  if (sample) {
    const { file, extension } = await client.downloadSample(sample.url, { signal });
    files.push(
      new AttachmentBuilder(Buffer.from(file), { name: `${voice.voice_id}.${extension}` }),
    );
  }
  // An empty field is refused.
  const field = (name: string, values: readonly string[], limit = SHOWN.inline) => ({
    name,
    value: cut(values.join(', '), limit, '…') || '–',
    inline: limit === SHOWN.inline,
  });
  const embed: APIEmbed = {
    color: COLOUR,
    title: cut(voice.name, SHOWN.name, '…'),
    description: cut(voice.description, SHOWN.description, '…'),
    fields: [
      field('Voice', [voice.gender, voice.age]),
      field('Good for', voice.use_cases),
      field('Styles', voice.styles),
      field(
        'Languages',
        voice.language.map((code) => languageName(code, locale)),
        SHOWN.field,
      ),
      field('Models', voice.models, SHOWN.field),
    ],
  };
  return { embeds: [embed], files };
}

/** The sample in the member's language, else in English, else any; in the voice's default style. */
function sampleFor(voice: Voice, locale: string): Voice['samples'][number] | undefined {
  const ofStyle = voice.samples.filter(({ style }) => style === voice.styles[0]);
  const own = guessLanguage('', locale);
  return (
    ofStyle.find(({ language }) => language === own) ??
    ofStyle.find(({ language }) => language === 'en') ??
    voice.samples[0]
  );
}

function customId({ filters, page }: Place, control: string): string {
  // Only what would end a value is escaped: "%EB%82%B4" would take nine characters for one.
  const query = Object.entries(filters)
    .map(([name, value]) => `${name}=${value.replaceAll(/[%&+:]/g, encodeURIComponent)}`)
    .join('&');
  const id = `voices:${control}:${page}:${query}`;
  if (textLength(id) > MAX_CUSTOM_ID_LENGTH) {
    throw new UserError('Those are too many filters at once: leave one out.');
  }
  return id;
}

function readPlace(id: string): Place {
  const [, , page = '0', query = ''] = id.split(':', 4);
  return { page: Number(page), filters: Object.fromEntries(new URLSearchParams(query)) };
}
