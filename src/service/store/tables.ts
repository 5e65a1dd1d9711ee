import type { Selectable } from 'kysely';

/** Times are milliseconds since the Unix epoch; lengths of speech are whole milliseconds. */
export interface Tables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  reservations: ReservationsTable;
  usage: UsageTable;
  custom_voices: CustomVoicesTable;
}

export interface AccountsTable {
  id: string;
  name: string;
  tier: 'free' | 'paid';
  /** Speech left, reserved speech taken off; null means unlimited. */
  balance_ms: number | null;
  created_at: number;
  disabled_at: number | null;
}

export interface ApiKeysTable {
  /** SHA-256 of the key, in hex. */
  hash: string;
  /** The start of `hash`, which finds the row; the whole is compared outside, in constant time. */
  lookup: string;
  /** The last characters of the key, by which its owner tells it from others. */
  tail: string;
  account_id: string;
  created_at: number;
}

/** Speech that is being made: its cost is off the balance until it is settled or the row expires. */
export interface ReservationsTable {
  id: string;
  account_id: string;
  cost_ms: number;
  expires_at: number;
}

/** One speech that was made. */
export interface UsageTable {
  account_id: string;
  made_at: number;
  key_tail: string;
  voice_id: string;
  voice_name: string;
  style: string;
  language: string;
  model: string;
  length_ms: number;
}

/** A voice that an account made. */
export interface CustomVoicesTable {
  id: string;
  account_id: string;
  name: string;
  description: string;
  /** A `VoiceProfile` as JSON. */
  profile: string;
  created_at: number;
}

export type AccountRow = Selectable<AccountsTable>;
