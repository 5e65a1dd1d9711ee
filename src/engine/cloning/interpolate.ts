import { type MeasuredVariant, VARIANTS } from './variants.ts';

/** The value at `x` between measured points, whose `xs` rise; the nearest one outside of them. */
export function interpolate(xs: readonly number[], ys: readonly number[], x: number): number {
  const [at, share] = place(xs, x);
  return mix(ys[at] ?? 0, ys[at + 1] ?? 0, share);
}

/** What a variant's F0 (hertz) and its range (semitones) are between the measured pitches and ranges. */
export function intonationAt(
  { intonation }: MeasuredVariant,
  pitch: number,
  range: number,
): { f0: number; f0Range: number } {
  const { pitches, ranges } = VARIANTS;
  const [row, across] = place(pitches, pitch);
  const [column, along] = place(ranges, range);
  const at = (field: 'f0' | 'f0Range') => {
    const point = (r: number, c: number) => intonation[r * ranges.length + c]?.[field] ?? 0;
    const low = mix(point(row, column), point(row, column + 1), along);
    const high = mix(point(row + 1, column), point(row + 1, column + 1), along);
    return mix(low, high, across);
  };
  return { f0: at('f0'), f0Range: at('f0Range') };
}

/** Where in an interval a rising function takes a value; the end that is nearer when it never does. */
export function solve(
  rising: (x: number) => number,
  value: number,
  [from, to]: readonly [number, number],
): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 24; step += 1) {
    const middle = (low + high) / 2;
    if (rising(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The interval that `x` lies in, and how far along it. */
function place(xs: readonly number[], x: number): [at: number, share: number] {
  const above = xs.findIndex((point) => point >= x);
  const at = Math.max(0, (above < 0 ? xs.length : above) - 1);
  const low = xs[at] ?? 0;
  const high = xs[at + 1] ?? low;
  return [at, high === low ? 0 : Math.max(0, Math.min(1, (x - low) / (high - low)))];
}

function mix(low: number, high: number, share: number): number {
  return low + (high - low) * share;
}
