import type { Keyv } from 'keyv';
import type { z } from 'zod';
import type { Logger } from '../log.ts';

/** Records of one kind, each with a default for everything. */
export interface Records<T extends object> {
  get(id: string): Promise<T>;
  /**
   * Changes a record. Changes of one record run one after the other, each on what the one before
   * left, so that none is lost.
   *
   * @param change - the fields to set, or a function from the record as it is to them
   * @returns the record as it is now
   */
  update(id: string, change: Partial<T> | ((record: T) => Partial<T>)): Promise<T>;
}

/**
 * Keeps records in a store. Fields that the schema does not know are dropped; a record that it does
 * not accept is logged and taken as the default, so that nobody is locked out by it.
 *
 * @param schema - accepts `{}` and gives the default
 */
export function createRecords<Schema extends z.ZodType<object>>(
  keyv: Keyv,
  schema: Schema,
  log: Logger,
): Records<z.output<Schema>> {
  type Record = z.output<Schema>;
  const changing = new Map<string, Promise<unknown>>();

  async function get(id: string): Promise<Record> {
    const kept = schema.safeParse((await read(id)) ?? {});
    if (kept.success) return kept.data;
    log.error({ err: kept.error, namespace: keyv.namespace, id }, 'a broken record is not used');
    return schema.parse({});
  }

  async function read(id: string): Promise<unknown> {
    try {
      return await keyv.get(id);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      log.error({ err: error, namespace: keyv.namespace, id }, 'a broken record is not used');
      return undefined;
    }
  }

  async function write(
    id: string,
    change: Partial<Record> | ((record: Record) => Partial<Record>),
  ): Promise<Record> {
    const before = await get(id);
    const changed = typeof change === 'function' ? change(before) : change;
    const after = schema.parse({ ...before, ...changed });
    await keyv.set(id, after);
    return after;
  }

  return {
    get,
    async update(id, change) {
      const turn = (changing.get(id) ?? Promise.resolve()).then(
        () => write(id, change),
        () => write(id, change),
      );
      changing.set(id, turn);
      try {
        return await turn;
      } finally {
        if (changing.get(id) === turn) changing.delete(id);
      }
    },
  };
}
