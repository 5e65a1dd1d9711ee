/** Sounds made by rule, for tests: mono, 16 bit. */

/** A sine of full scale × `level`. */
export function sine(frequency: number, rate: number, samples: number, level = 0.5): Int16Array {
  return Int16Array.from({ length: samples }, (_, i) =>
    Math.round(32_767 * level * Math.sin((2 * Math.PI * frequency * i) / rate)),
  );
}

/**
 * Something like a voice: a train of pulses that excites two resonances, its pitch moving up and
 * down by `semitones` around `f0` three times a second, its loudness in syllables.
 */
export function voice(f0: number, rate: number, samples: number, semitones = 0): Int16Array {
  const out = new Float64Array(samples);
  let phase = 0;
  const resonances = [resonance(600, rate), resonance(1_500, rate)];
  for (let i = 0; i < samples; i += 1) {
    const bend = (semitones * Math.sin((2 * Math.PI * 3 * i) / rate)) / 12;
    phase += (f0 * 2 ** bend) / rate;
    const pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    const loudness = 0.6 + 0.4 * Math.sin((2 * Math.PI * 4 * i) / rate);
    out[i] = resonances.reduce((sum, step) => sum + step(pulse), 0) * loudness;
  }
  const peak = out.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Int16Array.from(out, (value) => Math.round((24_000 * value) / peak));
}

/** A two-pole filter, 100 Hz wide. */
function resonance(frequency: number, rate: number): (input: number) => number {
  const radius = Math.exp((-Math.PI * 100) / rate);
  const turn = 2 * radius * Math.cos((2 * Math.PI * frequency) / rate);
  let last = 0;
  let before = 0;
  return (input) => {
    const output = input + turn * last - radius * radius * before;
    before = last;
    last = output;
    return output;
  };
}

/** The sound in chunks of the given number of samples. */
export async function* inChunks(samples: Int16Array, length: number): AsyncGenerator<Int16Array> {
  for (let offset = 0; offset < samples.length; offset += length) {
    yield samples.subarray(offset, offset + length);
  }
}
