/** One number of the bench. */
export interface Measure {
  name: string;
  value: number;
  unit: string;
}

/** A part of the bench: the prefix of its measures' names, and what measures them. */
export interface BenchPart {
  prefix: string;
  run(): Promise<Measure[]>;
}

/** The value that a share of the sorted values does not exceed, by nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('no values to take a percentile of');
  return value;
}

/** Says on standard error why a number is missing, for a bench that leaves one out must say so. */
export function leftOut(name: string, why: string): [] {
  console.error(`${name} left out: ${why}`);
  return [];
}
