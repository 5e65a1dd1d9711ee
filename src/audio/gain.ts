const FULL_SCALE = 32_767;

/** Level, as a share of full scale, from which louder sound is bent instead of cut off. */
const KNEE = 0.75;

/**
 * Makes sound louder or softer. What would leave the 16 bit range is rounded off, which is heard
 * as less than the crackle of cut-off peaks.
 *
 * @param gain - factor of loudness; 1 gives the same samples back
 */
export function applyGain(samples: Int16Array, gain: number): Int16Array {
  if (gain === 1) return samples;
  const louder = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) {
    const level = ((samples[i] ?? 0) * gain) / FULL_SCALE;
    const size = Math.abs(level);
    const bent = size <= KNEE ? size : KNEE + (1 - KNEE) * Math.tanh((size - KNEE) / (1 - KNEE));
    louder[i] = Math.round(Math.sign(level) * bent * FULL_SCALE);
  }
  return louder;
}
