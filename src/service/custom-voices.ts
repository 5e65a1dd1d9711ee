import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { CustomVoice, CustomVoiceEdit, NewVoiceText } from '../contract/custom-voices.ts';
import { LANGUAGES } from '../contract/languages.ts';
import { MODEL_NAMES } from '../contract/models.ts';
import type { Character } from '../engine/characters.ts';
import { characterOf } from '../engine/cloning/match.ts';
import type { VoiceProfile } from '../engine/cloning/profile.ts';
import type { Tables } from './store/tables.ts';
import type { SpeakableVoice } from './utterance.ts';

/** The voices that accounts made. Another account's voice is as one that does not exist (supplement, "Accounts"). */
export interface CustomVoices {
  create(accountId: string, text: NewVoiceText, profile: VoiceProfile): Promise<string>;
  /** All of an account, the oldest first. */
  list(accountId: string): Promise<CustomVoice[]>;
  find(accountId: string, voiceId: string): Promise<CustomVoice | undefined>;
  /** The voice as it is after the change; undefined when there is none. */
  edit(
    accountId: string,
    voiceId: string,
    change: CustomVoiceEdit,
  ): Promise<CustomVoice | undefined>;
  /** Whether there was such a voice. */
  remove(accountId: string, voiceId: string): Promise<boolean>;
  /** The voice, ready to speak every language in every model. */
  speakable(accountId: string, voiceId: string): Promise<SpeakableVoice | undefined>;
}

const ID_PREFIX = 'cv_';

/** What every id looks like: anything else is nobody's, and need not be looked up. */
const ID = /^cv_[\w-]{22}$/;

/** Characters that are kept: a profile never changes, and matching it takes a millisecond. */
const KEPT_CHARACTERS = 500;

const COLUMNS = ['id as voice_id', 'name', 'description'] as const;

export function createCustomVoices(db: Kysely<Tables>): CustomVoices {
  const characters = new Map<string, Character>();

  function character(id: string, profile: string): Character {
    let known = characters.get(id);
    if (!known) {
      known = characterOf(id, JSON.parse(profile) as VoiceProfile);
      const oldest = characters.keys().next();
      if (characters.size >= KEPT_CHARACTERS && !oldest.done) characters.delete(oldest.value);
      characters.set(id, known);
    }
    return known;
  }

  return {
    async create(accountId, { name, description }, profile) {
      const id = ID_PREFIX + randomBytes(16).toString('base64url');
      await db
        .insertInto('custom_voices')
        .values({
          id,
          account_id: accountId,
          name,
          description,
          profile: JSON.stringify(profile),
          created_at: Date.now(),
        })
        .execute();
      return id;
    },
    list: (accountId) =>
      db
        .selectFrom('custom_voices')
        .select(COLUMNS)
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    async find(accountId, voiceId) {
      if (!ID.test(voiceId)) return undefined;
      return db
        .selectFrom('custom_voices')
        .select(COLUMNS)
        .where('id', '=', voiceId)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
    },
    async edit(accountId, voiceId, change) {
      if (!ID.test(voiceId)) return undefined;
      return db
        .updateTable('custom_voices')
        .set(change)
        .where('id', '=', voiceId)
        .where('account_id', '=', accountId)
        .returning(COLUMNS)
        .executeTakeFirst();
    },
    async remove(accountId, voiceId) {
      if (!ID.test(voiceId)) return false;
      const { numDeletedRows } = await db
        .deleteFrom('custom_voices')
        .where('id', '=', voiceId)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async speakable(accountId, voiceId) {
      if (!ID.test(voiceId)) return undefined;
      const row = await db
        .selectFrom('custom_voices')
        .select(['name', 'profile'])
        .where('id', '=', voiceId)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      if (!row) return undefined;
      const speaker = character(voiceId, row.profile);
      return {
        name: row.name,
        character: speaker,
        abilities: {
          language: [...LANGUAGES],
          styles: speaker.styles.map((style) => style.name),
          models: [...MODEL_NAMES],
        },
      };
    },
  };
}
