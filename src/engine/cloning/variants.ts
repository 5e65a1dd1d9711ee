import table from './variants.json' with { type: 'json' };

/** How a timbre of eSpeak NG sounds, measured as samples are. */
export interface MeasuredVariant {
  name: string;
  /** Decibels of full scale that the loud parts reach. */
  level: number;
  /** Decibels of each band of `spectrum.ts` against their mean. */
  spectrum: number[];
  /** Syllables a second at each of the table's rates. */
  syllables: number[];
  /** Hertz, and semitones of range, at each of the table's pitches and, within it, ranges. */
  intonation: { f0: number; f0Range: number }[];
}

/** Made by `measure-variants.ts`. */
export interface VariantTable {
  /** eSpeak NG's own units, 0 to 99. */
  pitches: number[];
  /** eSpeak NG's own units, 0 to 100. */
  ranges: number[];
  /** Factors on the normal rate. */
  rates: number[];
  variants: MeasuredVariant[];
}

export const VARIANTS: VariantTable = table;
