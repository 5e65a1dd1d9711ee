import { z } from 'zod';
import { type Fault, faultsOf } from './faults.ts';
import { MAX_VOICE_DESCRIPTION_LENGTH, MAX_VOICE_NAME_LENGTH, textLength } from './limits.ts';
import { VoiceFilters } from './voices.ts';

const VoiceId = z.string().meta({ title: 'Voice id', examples: ['cv_3v0s4Xo6SB2yT1kQm9ZcWg'] });

const Name = z.string().meta({
  title: 'Name',
  description: `1 to ${MAX_VOICE_NAME_LENGTH} Unicode code points.`,
  examples: ['Our narrator'],
});

const Description = z.string().meta({
  title: 'Description',
  description: `Free-form text, ${MAX_VOICE_DESCRIPTION_LENGTH} Unicode code points at most; may be an empty string.`,
  examples: ['Reads the weekly news.'],
});

/** A voice that an account made (supplement, "CustomVoice"). */
export const CustomVoice = z
  .object({ voice_id: VoiceId, name: Name, description: Description })
  .meta({ id: 'CustomVoice', title: 'Custom voice' });

export type CustomVoice = z.infer<typeof CustomVoice>;

/** Answer of create cloned voice (spec, "Cloned voice"). */
export const ClonedVoice = z
  .object({ voice_id: VoiceId })
  .meta({ id: 'ClonedVoice', title: 'Cloned voice' });

export type ClonedVoice = z.infer<typeof ClonedVoice>;

/** A page of custom voices (supplement, "Page of voices"). */
export const CustomVoicePage = z
  .object({
    items: z.array(CustomVoice).meta({ title: 'Voices', description: 'Those of this page.' }),
    total: z.int().nonnegative().meta({ title: 'Total', description: 'Voices on all pages.' }),
    next_page_token: z
      .string()
      .nullable()
      .meta({ title: 'Token of the next page', description: 'null on the last page.' }),
  })
  .meta({ id: 'CustomVoicePage', title: 'Page of custom voices' });

export type CustomVoicePage = z.infer<typeof CustomVoicePage>;

/** Filters of a search in custom voices, all of which must match (supplement, "Search"). */
export const CustomVoiceFilters = VoiceFilters.pick({ name: true, description: true });

export type CustomVoiceFilters = z.infer<typeof CustomVoiceFilters>;

/** Body of edit custom voice: one of the two fields, or both (supplement, "Paths"). */
export const CustomVoiceEdit = z
  .object({ name: Name.optional(), description: Description.optional() })
  .meta({ id: 'CustomVoiceEdit', title: 'Changes of a custom voice' });

export type CustomVoiceEdit = z.infer<typeof CustomVoiceEdit>;

/** The text fields of create cloned voice (spec, "POST /v1/custom-voices/cloned-voice"). */
export const NewVoiceText = z.object({ name: Name, description: Description.default('') });

export type NewVoiceText = z.infer<typeof NewVoiceText>;

export type Checked<T> = { ok: true; value: T } | { ok: false; faults: Fault[] };

/** Checks what a new custom voice is to be called. */
export function checkNewVoiceText(given: unknown): Checked<NewVoiceText> {
  return check(NewVoiceText, given);
}

/** Checks the changes of a custom voice: one of the fields at least. */
export function checkCustomVoiceEdit(given: unknown): Checked<CustomVoiceEdit> {
  const checked = check(CustomVoiceEdit, given);
  const empty = checked.ok && Object.values(checked.value).every((value) => value === undefined);
  return empty
    ? { ok: false, faults: [{ field: 'name or description', problem: 'missing' }] }
    : checked;
}

function check<T extends { name?: string | undefined; description?: string | undefined }>(
  schema: z.ZodType<T>,
  given: unknown,
): Checked<T> {
  const parsed = schema.safeParse(given);
  if (!parsed.success) return { ok: false, faults: faultsOf(parsed.error, given) };
  const { name, description } = parsed.data;
  const faults = [
    ...textFaults('name', name, MAX_VOICE_NAME_LENGTH),
    ...textFaults('description', description, MAX_VOICE_DESCRIPTION_LENGTH),
  ];
  if (name?.trim() === '') faults.unshift({ field: 'name', problem: 'blank' });
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: parsed.data };
}

function textFaults(field: string, text: string | undefined, maximum: number): Fault[] {
  if (text === undefined) return [];
  const length = textLength(text);
  if (length > maximum) return [{ field, problem: 'too_long', length, maximum }];
  // Databases take neither; no person types them.
  const storable = text.isWellFormed() && !text.includes('\0');
  return storable ? [] : [{ field, problem: 'invalid', reason: 'is not well-formed text' }];
}
