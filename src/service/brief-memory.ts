/**
 * Remembers what was found for a moment, so that a burst of requests asks the database once.
 * Nothing found and failures are not remembered.
 *
 * @param options.ms - how long, and so how late a change is noticed
 * @param options.size - entries at most
 */
export function createBriefMemory<T>({ ms, size }: { ms: number; size: number }) {
  const entries = new Map<string, { until: number; value: Promise<T | undefined> }>();

  return (key: string, find: () => Promise<T | undefined>): Promise<T | undefined> => {
    const known = entries.get(key);
    if (known && performance.now() < known.until) return known.value;
    const value = find();
    const entry = { until: performance.now() + ms, value };
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    entries.delete(key);
    const oldest = entries.keys().next();
    if (entries.size >= size && !oldest.done) entries.delete(oldest.value);
    entries.set(key, entry);
    value.then((found) => found === undefined && forget(), forget);
    return value;
  };
}
