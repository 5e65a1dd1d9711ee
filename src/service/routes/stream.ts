import { once } from 'node:events';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { OutputFormat } from '../../contract/speech.ts';
import type { Utterance } from '../../engine/engine.ts';
import type { Logger } from '../../log.ts';
import { admit } from '../admission.ts';
import type { Charge } from '../charges.ts';
import { ClientGoneError, type Lifetime, withLifetime } from '../lifetime.ts';
import { recorded, replay, replayed } from '../recording.ts';
import { type Progress, startSound } from '../sound.ts';
import { AUDIO_TYPE } from '../sound-file.ts';
import { type Recording, speechKey } from '../speech-cache.ts';
import { audioChunks, speechLines } from '../stream-body.ts';
import { readSpeech, requireVoice } from '../utterance.ts';
import { SPEECH_FAILURE, type SpeechContext } from './context.ts';

const LENGTH_TRAILER = 'X-Audio-Length';

/** Stream speech (supplement, "Streaming"). */
export function registerStream(app: FastifyInstance, context: SpeechContext): void {
  app.post(
    '/text-to-speech/:voice_id/stream',
    { onRequest: requireVoice(context.findVoice), config: { failure: SPEECH_FAILURE } },
    (request, reply) => {
      const { speech, utterance } = readSpeech(request, context.aliases);
      const { output_format: format, include_phonemes: lines } = speech;
      return withLifetime(reply, context.lifetime, async (lifetime) => {
        await using charge = await admit(request, speech, context);
        const { sound, audio } = await open(context, charge, utterance, format, lifetime.signal);
        await send(reply, {
          charge,
          type: lines ? 'application/x-ndjson' : AUDIO_TYPE[format],
          body: lines ? speechLines(sound, audio) : audio,
          sound,
          lifetime,
          log: context.log,
        });
      });
    },
  );
}

/** Starts a speech, or plays one that was made before. */
async function open(
  { engine, encoder, cache }: SpeechContext,
  charge: Charge,
  utterance: Utterance,
  format: OutputFormat,
  signal: AbortSignal,
): Promise<{ sound: Progress; audio: AsyncIterable<Uint8Array> }> {
  const key = speechKey(utterance, format);
  const recording = cache.get(key);
  await charge.reserve(async () => recording?.seconds ?? engine.predict(utterance, { signal }));
  if (recording) return { sound: replayed(recording), audio: replay(recording, format) };
  const sound = await startSound(engine.speak(utterance, { signal }));
  const audio = audioChunks(sound, format, encoder, signal);
  const keep = (made: Recording) => cache.put(key, made);
  return { sound, audio: recorded(audio, sound, format, cache.largest, keep) };
}

interface Stream {
  charge: Charge;
  type: string;
  body: AsyncIterable<Uint8Array>;
  sound: Progress;
  lifetime: Lifetime;
  log: Logger;
}

/**
 * Sends a stream as fast as its reader takes it. Once the head is out a fault can no longer become
 * a status: it destroys the connection, so that nobody takes half a sentence for a whole one.
 *
 * @throws what goes wrong before the first byte
 */
async function send(
  reply: FastifyReply,
  { charge, type, body, sound, lifetime, log }: Stream,
): Promise<void> {
  const { signal } = lifetime;
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  signal.throwIfAborted();
  const { raw } = reply.hijack();
  signal.addEventListener('abort', () => raw.writableEnded || raw.destroy(), { once: true });
  try {
    raw.writeHead(200, {
      'content-type': type,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      // Trailers need the chunks of HTTP/1.1; Node refuses to announce one without.
      ...(raw.req.httpVersionMinor > 0 && { trailer: LENGTH_TRAILER }),
    });
    let sent = 0;
    for (let chunk = first; !chunk.done; chunk = await chunks.next()) {
      signal.throwIfAborted();
      if (!raw.write(chunk.value)) await once(raw, 'drain', { signal });
      // A reader that plays while it reads needs as long as the sound lasts.
      lifetime.extend((sound.seconds() - sent) * 1000);
      sent = sound.seconds();
    }
    await charge.settle(sound.seconds());
    raw.addTrailers({ [LENGTH_TRAILER]: String(sound.seconds()) });
    raw.end();
  } catch (error) {
    raw.destroy();
    // What was made for a listener who left was heard, or on its way; a fault of the service is free.
    if (signal.reason instanceof ClientGoneError) await charge.settle(sound.seconds());
    if (signal.aborted) log.info({ err: signal.reason }, 'a stream was ended early');
    else log.error({ err: error }, 'a stream broke off');
  } finally {
    await chunks.return?.();
  }
}
