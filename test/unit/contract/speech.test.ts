import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrorBody, errorBody, errorMessage } from '../../../src/contract/errors.ts';
import { describeFault } from '../../../src/contract/faults.ts';
import { textLength } from '../../../src/contract/limits.ts';
import { checkSpeech, spokenText } from '../../../src/contract/speech.ts';

const voice = {
  language: ['en', 'ko', 'de'] as ('en' | 'ko' | 'de')[],
  styles: ['calm', 'happy'],
  models: ['sona_speech_1', 'engine_api_3'] as ('sona_speech_1' | 'engine_api_3')[],
};
const good = { text: 'Hello', language: 'en' };

function refusal(request: unknown, maxTextLength?: number): string {
  const check = checkSpeech(request, voice, maxTextLength);
  return check.ok ? 'accepted' : check.faults.map(describeFault).join(' ');
}

describe('a speech request', () => {
  it('needs a text and a language; everything else has its default', () => {
    expect(checkSpeech(good, voice)).toEqual({
      ok: true,
      speech: {
        text: 'Hello',
        language: 'en',
        style: 'calm',
        model: 'sona_speech_1',
        output_format: 'wav',
        include_phonemes: false,
      },
    });
  });

  it('may carry every setting with its default for every model, and fields that nobody knows', () => {
    const settings = {
      pitch_shift: 0,
      pitch_variance: 1,
      speed: 1,
      duration: 0,
      similarity: 3,
      text_guidance: 1,
      subharmonic_amplitude_control: 1,
    };
    expect(refusal({ ...good, model: 'engine_api_3', voice_settings: settings, extra: 1 })).toBe(
      'accepted',
    );
  });

  it.each([
    ['no object', 'nonsense', 'request must be of type object.'],
    ['no text', { language: 'en' }, 'text is required.'],
    ['a blank text', { ...good, text: ' \n\t' }, 'text must not be empty.'],
    ['text of another type', { ...good, text: 5 }, 'text must be of type string.'],
    [
      '301 characters',
      { ...good, text: 'x'.repeat(301) },
      'text has 301 characters; at most 300 are allowed.',
    ],
    [
      'a long normalized text',
      { ...good, normalized_text: '가'.repeat(301) },
      'normalized_text has 301 characters; at most 300 are allowed.',
    ],
    [
      'an unknown language',
      { ...good, language: 'xx' },
      /^language "xx" is not available; use one of: en, ko, ja, /,
    ],
    [
      'a language that the model lacks',
      { ...good, language: 'de' },
      'language "de" is not available for this model; use one of: en, ko, ja.',
    ],
    [
      'a language that the voice lacks',
      { ...good, language: 'ja' },
      'language "ja" is not available for this voice; use one of: en, ko, de.',
    ],
    [
      'a style that the voice lacks',
      { ...good, style: 'angry' },
      'style "angry" is not available for this voice; use one of: calm, happy.',
    ],
    [
      'a model that the voice lacks',
      { ...good, model: 'engine_api_1' },
      'model "engine_api_1" is not available for this voice; use one of: sona_speech_1, engine_api_3.',
    ],
    [
      'an unknown model',
      { ...good, model: 'sona_9' },
      /^model "sona_9" is not available; use one of: /,
    ],
    [
      'pitch 25',
      { ...good, voice_settings: { pitch_shift: 25 } },
      'voice_settings.pitch_shift must be from -24 to 24.',
    ],
    [
      'speed 0.4, also where the model ignores more',
      { ...good, model: 'engine_api_3', voice_settings: { speed: 0.4 } },
      'voice_settings.speed must be from 0.5 to 2.',
    ],
    [
      'a pitch out of range in a model that ignores it',
      { ...good, model: 'engine_api_3', voice_settings: { pitch_shift: -25 } },
      'voice_settings.pitch_shift must be from -24 to 24.',
    ],
  ])('%s is refused with what is allowed', (_, request, message) => {
    if (typeof message === 'string') expect(refusal(request)).toBe(message);
    else expect(refusal(request)).toMatch(message);
  });

  it('counts code points: 300 emoji of two units each are 300 characters', () => {
    expect(refusal({ ...good, text: '😀'.repeat(300) })).toBe('accepted');
    expect(refusal({ ...good, text: '😀'.repeat(301) })).toMatch(/301 characters/);
  });

  it('may be longer for a client that splits it', () => {
    expect(refusal({ ...good, text: 'x'.repeat(2_000) }, 2_000)).toBe('accepted');
    expect(refusal({ ...good, text: 'x'.repeat(2_001) }, 2_000)).toMatch(/at most 2000/);
  });

  it('never throws, whatever it is, and every refusal is a sentence', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ text: fc.anything(), voice_settings: fc.anything() })),
        (request) => {
          const message = refusal(request);
          expect(message === 'accepted' || message.endsWith('.')).toBe(true);
        },
      ),
    );
  });
});

describe('normalized text', () => {
  const abilities = { ...voice, models: ['sona_speech_1', 'sona_speech_2'] as const };
  const spoken = (model: string) => {
    const check = checkSpeech(
      { ...good, model, normalized_text: 'said' },
      { ...abilities, models: [...abilities.models] },
    );
    return check.ok ? spokenText(check.speech) : 'refused';
  };

  it('is what sona_speech_2 speaks, and is ignored by others', () => {
    expect(spoken('sona_speech_2')).toBe('said');
    expect(spoken('sona_speech_1')).toBe('Hello');
  });
});

describe('error bodies', () => {
  it.each([400, 415])('%i carries a plain sentence', (status) => {
    expect(errorBody(status, 'No.')).toEqual({ status: 'error', message: 'No.' });
  });

  it.each([
    [401, 'Unauthorized'],
    [402, 'Payment Required'],
    [404, 'Not Found'],
    [408, 'Request Timeout'],
    [413, 'Payload Too Large'],
    [429, 'Too Many Requests'],
    [500, 'Internal Server Error'],
  ])('%i carries an object with the reason "%s"', (status, error) => {
    const body = errorBody(status, 'No.');
    expect(body).toEqual({
      status: 'error',
      message: { message: 'No.', error, status_code: status },
    });
    expect(ErrorBody.parse(body)).toEqual(body);
    expect(errorMessage(body)).toBe('No.');
  });
});

it('text length counts code points, not UTF-16 units or graphemes', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => textLength(text) === Array.from(text).length,
    ),
  );
  expect(textLength('👩‍👩‍👧‍👦')).toBe(7);
});
