import { Decoder } from '@evan/opus/wasm/index.mjs';
import { concatSamples } from '../../src/audio/pcm.ts';

/** The sound of Opus packets, each as a listener in a voice channel plays it: mono, 48 kHz. */
export function decodePackets(packets: Iterable<Uint8Array>): Int16Array {
  const decoder = new Decoder({ channels: 1, sample_rate: 48_000 });
  const parts = Array.from(packets, (packet) => new Int16Array(decoder.decode(packet).buffer));
  decoder.drop();
  return concatSamples(parts);
}
