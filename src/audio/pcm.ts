/** Mono sound, 16 bit. */
export interface Pcm {
  samples: Int16Array;
  /** Hertz. */
  sampleRate: number;
}

export function concatSamples(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Samples as floats in -1 to 1. */
export function toFloat(samples: Int16Array): Float32Array {
  // A loop, for the mapping of `from` is twenty times slower, and all speech passes here.
  const floats = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) floats[i] = (samples[i] ?? 0) / 32_768;
  return floats;
}

/** Floats in -1 to 1 as 16 bit samples; what lies outside is clipped. */
export function toInt16(samples: Float32Array): Int16Array {
  const integers = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) {
    integers[i] = Math.max(-32_768, Math.min(32_767, Math.round((samples[i] ?? 0) * 32_768)));
  }
  return integers;
}

/** All of a sound that comes in chunks. */
export async function collectSamples(chunks: AsyncIterable<Int16Array>): Promise<Int16Array> {
  return concatSamples(await Array.fromAsync(chunks));
}
