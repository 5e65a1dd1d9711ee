import { AudioFormatError } from './errors.ts';

/** Reads a WAV file while it arrives. */
export interface WavReader {
  /** Hertz; undefined until the header has been read. */
  readonly sampleRate: number | undefined;
  /**
   * Takes the next bytes, cut anywhere, and gives the samples that they complete, mixed to mono.
   *
   * @throws {AudioFormatError} when the file is not a WAV file of a form that is known here
   */
  push(bytes: Uint8Array): Int16Array;
  /**
   * Says that no more bytes come.
   *
   * @throws {AudioFormatError} when the file promised more than came
   */
  finish(): void;
}

interface WavFormat {
  sampleRate: number;
  channels: number;
  bytesPerSample: number;
  float: boolean;
}

/** Sizes from here on mean "until the end": writers to a pipe put 0xFFFFFFFF or nearly that. */
const ENDLESS = 0xffff_ff00;

const MAX_CHANNELS = 32;

/**
 * Makes a reader of integer samples of 16, 24 or 32 bit and of 32 bit floats. Chunks other than
 * fmt and data are skipped without being kept.
 */
export function createWavReader(): WavReader {
  let stage: 'riff' | 'chunk' | 'format' | 'data' | 'end' = 'riff';
  let format: WavFormat | undefined;
  /** Bytes of an unfinished header or frame. */
  let pending: Uint8Array = new Uint8Array(0);
  let toSkip = 0;
  /** Bytes of the fmt or data chunk that are still to come. */
  let left = 0;
  let padding = 0;

  function push(bytes: Uint8Array): Int16Array {
    let input = bytes;
    if (pending.length > 0) {
      input = new Uint8Array(pending.length + bytes.length);
      input.set(pending);
      input.set(bytes, pending.length);
    }
    const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
    let samples: Int16Array = new Int16Array(0);
    let offset = 0;
    for (;;) {
      const skipped = Math.min(toSkip, input.length - offset);
      offset += skipped;
      toSkip -= skipped;
      const available = input.length - offset;
      if (stage === 'riff' && available >= 12) {
        if (view.getUint32(offset) !== 0x5249_4646 || view.getUint32(offset + 8) !== 0x5741_5645) {
          throw new AudioFormatError('The file is not a WAV file');
        }
        offset += 12;
        stage = 'chunk';
      } else if (stage === 'chunk' && available >= 8) {
        const name = view.getUint32(offset);
        left = view.getUint32(offset + 4, true);
        padding = left % 2;
        offset += 8;
        if (name === 0x666d_7420) {
          if (left < 16 || left > 1_024) throw new AudioFormatError('The WAV header is damaged');
          stage = 'format';
        } else if (name === 0x6461_7461) {
          if (!format) throw new AudioFormatError('The WAV file says nothing about its format');
          if (left >= ENDLESS) left = Number.POSITIVE_INFINITY;
          stage = 'data';
        } else {
          toSkip = left + padding;
        }
      } else if (stage === 'format' && available >= left) {
        format = readFormat(new DataView(view.buffer, view.byteOffset + offset, left));
        offset += left;
        toSkip = padding;
        stage = 'chunk';
      } else if (stage === 'data' && format) {
        const frame = format.channels * format.bytesPerSample;
        const usable = Math.min(available, left);
        const whole = usable - (usable % frame);
        samples = readSamples(input.subarray(offset, offset + whole), format);
        offset += whole;
        left -= whole;
        if (left >= frame) break;
        stage = 'end';
      } else {
        break;
      }
    }
    pending = stage === 'end' ? new Uint8Array(0) : input.slice(offset);
    return samples;
  }

  return {
    get sampleRate() {
      return stage === 'data' || stage === 'end' ? format?.sampleRate : undefined;
    },
    push,
    finish() {
      const complete =
        stage === 'end' || (left === Number.POSITIVE_INFINITY && pending.length === 0);
      if (!complete) throw new AudioFormatError('The WAV file is cut off');
    },
  };
}

function readFormat(chunk: DataView): WavFormat {
  const extensible = chunk.getUint16(0, true) === 0xfffe && chunk.byteLength >= 26;
  const code = chunk.getUint16(extensible ? 24 : 0, true);
  const channels = chunk.getUint16(2, true);
  const sampleRate = chunk.getUint32(4, true);
  const bits = chunk.getUint16(14, true);
  const float = code === 3;
  const known = float ? bits === 32 : code === 1 && (bits === 16 || bits === 24 || bits === 32);
  if (!known) {
    throw new AudioFormatError(
      `The WAV file has ${bits} bit samples of format ${code}; use PCM of 16, 24 or 32 bit, or 32 bit float`,
    );
  }
  if (channels < 1 || channels > MAX_CHANNELS || sampleRate < 1_000 || sampleRate > 768_000) {
    throw new AudioFormatError(`The WAV file has ${channels} channels at ${sampleRate} Hz`);
  }
  return { sampleRate, channels, bytesPerSample: bits / 8, float };
}

function readSamples(bytes: Uint8Array, format: WavFormat): Int16Array {
  const { channels, bytesPerSample } = format;
  const samples = new Int16Array(bytes.length / (channels * bytesPerSample));
  if (channels === 1 && bytesPerSample === 2) {
    new Uint8Array(samples.buffer).set(bytes);
    return samples;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = sampleReader(view, format);
  let offset = 0;
  for (let frame = 0; frame < samples.length; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      sum += read(offset);
      offset += bytesPerSample;
    }
    samples[frame] = Math.max(-32_768, Math.min(32_767, Math.round(sum / channels)));
  }
  return samples;
}

/** Reads one sample, scaled to 16 bit. */
function sampleReader(
  view: DataView,
  { bytesPerSample, float }: WavFormat,
): (offset: number) => number {
  if (float) return (offset) => (view.getFloat32(offset, true) || 0) * 32_768;
  if (bytesPerSample === 4) return (offset) => view.getInt32(offset, true) / 65_536;
  if (bytesPerSample === 3) {
    return (offset) => view.getInt8(offset + 2) * 256 + view.getUint16(offset, true) / 256;
  }
  return (offset) => view.getInt16(offset, true);
}
