import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { checkNewVoiceText, type NewVoiceText } from '../contract/custom-voices.ts';
import type { Fault } from '../contract/faults.ts';
import {
  MAX_VOICE_DESCRIPTION_LENGTH,
  MAX_VOICE_NAME_LENGTH,
  SAMPLE_BYTES_LIMIT,
} from '../contract/limits.ts';
import { sampleFormat } from '../engine/cloning/sample.ts';
import { ApiError, badRequest } from './errors.ts';
import { receivedType } from './received-type.ts';

/** What a request to clone a voice brings. */
export interface SampleUpload {
  sample: Uint8Array<ArrayBuffer>;
  text: NewVoiceText;
}

/** Bytes that tell a format. */
const HEAD = 12;

/** The longest text of each field in UTF-8, and one more character. */
const FIELD_BYTES = 4 * (Math.max(MAX_VOICE_NAME_LENGTH, MAX_VOICE_DESCRIPTION_LENGTH) + 1);

/** Parts that a request may have; the ones that nobody asked for are read away. */
const PARTS = 20;

/**
 * Reads the multipart body of create cloned voice, fields in any order, and judges it while it
 * comes. Of two fields of one name the last one counts; a second sample is refused.
 *
 * @throws {ApiError} 413 at the byte that is too many, 415 at the first bytes of another format, 400
 */
export async function readSampleUpload(request: FastifyRequest): Promise<SampleUpload> {
  const text: Record<string, string> = {};
  const faults: Fault[] = [];
  let sample: Uint8Array<ArrayBuffer> | undefined;
  try {
    const limits = { fileSize: 2 * SAMPLE_BYTES_LIMIT, fieldSize: FIELD_BYTES, parts: PARTS };
    for await (const part of request.parts({ limits })) {
      const { fieldname } = part;
      if (part.type === 'field') {
        if (fieldname === 'files')
          faults.push({ field: 'files', problem: 'wrong_type', expected: 'file' });
        else if (typeof part.value === 'string') text[fieldname] = part.value;
      } else if (fieldname !== 'files') await readAway(part);
      else if (sample) {
        faults.push({ field: 'files', problem: 'invalid', reason: 'only one sample is allowed' });
        await readAway(part);
      } else sample = await readSampleFile(part);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const message = `The body must be complete multipart/form-data of at most ${PARTS} parts.`;
    throw new ApiError(400, message, { cause: error });
  } finally {
    // What still comes is read away, so that a client that is sending gets its answer and its
    // connection takes the next request. Unpiped first, for a parser that unpipes later pauses it.
    request.raw.unpipe().resume();
  }
  if (sample?.length === 0) faults.push({ field: 'files', problem: 'blank' });
  else if (!sample && faults.length === 0) faults.push({ field: 'files', problem: 'missing' });
  const checked = checkNewVoiceText(text);
  if (!checked.ok) faults.push(...checked.faults);
  if (!checked.ok || !sample || faults.length > 0) throw badRequest(faults);
  return { sample, text: checked.value };
}

async function readSampleFile(part: MultipartFile): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let judged = false;
  for await (const chunk of part.file as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= SAMPLE_BYTES_LIMIT)
      throw new ApiError(413, 'The sample must be smaller than 3 MB.');
    if (judged || length < HEAD) continue;
    judged = true;
    judge(Buffer.concat(chunks), part.mimetype);
  }
  const sample = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    sample.set(chunk, offset);
    offset += chunk.length;
  }
  if (!judged && length > 0) judge(sample, part.mimetype);
  return sample;
}

function judge(head: Uint8Array, declared: string): void {
  if (sampleFormat(head)) return;
  const type = receivedType(head, declared);
  throw new ApiError(415, `The sample must be a WAV or MP3 file (WAV, MP3); received ${type}.`);
}

async function readAway(part: MultipartFile): Promise<void> {
  let length = 0;
  for await (const chunk of part.file as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length >= SAMPLE_BYTES_LIMIT) throw new ApiError(413, 'The body is too large.');
  }
}
