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
  return Float32Array.from(samples, (sample) => sample / 32_768);
}

/** Floats in -1 to 1 as 16 bit samples; what lies outside is clipped. */
export function toInt16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) =>
    Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))),
  );
}

/** All of a sound that comes in chunks. */
export async function collectSamples(chunks: AsyncIterable<Int16Array>): Promise<Int16Array> {
  return concatSamples(await Array.fromAsync(chunks));
}
