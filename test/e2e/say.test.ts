import { ChannelType, PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeMp3 } from '../../src/audio/mp3-decode.ts';
import { resample } from '../../src/audio/resample.ts';
import { decodeWav } from '../../src/audio/wav.ts';
import type { ShownMessage } from '../../src/sandbox/sandbox.ts';
import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { envelopeCorrelation, medianF0, rms } from '../helpers/measure.ts';
import { decodeOggOpus, readOgg } from '../helpers/ogg.ts';

let bot: TestBot;
beforeAll(async () => {
  bot = await startTestBot();
});
afterAll(() => bot[Symbol.asyncDispose]());

async function fileOf(message: ShownMessage | undefined): Promise<Uint8Array> {
  const attachment = message?.attachments[0];
  if (!attachment) throw new Error('the message has no file');
  const response = await fetch(attachment.url);
  expect(response.status).toBe(200);
  return response.bytes();
}

/** The one message that a command left, and the sound in it. */
async function heard(options: Record<string, string | number>) {
  const answer = await bot.sandbox.run('/say', { as: 'wav', ...options });
  return decodeWav(await fileOf(answer.messages[0])).samples;
}

const SENTENCE = 'The build is ready, and all of the tests are green.';

describe('/say', () => {
  it('posts a native voice message that everybody in the channel can play', async () => {
    const answer = await bot.sandbox.run('/say', { text: SENTENCE });
    expect(answer.messages).toHaveLength(1);
    const [message] = answer.messages;
    expect(message).toMatchObject({
      voiceMessage: true,
      ephemeral: false,
      content: '',
      embeds: [],
    });
    expect(bot.sandbox.messages()).toContainEqual(message);

    const [attachment] = message?.attachments ?? [];
    expect(attachment?.contentType).toBe('audio/ogg');
    const file = await fileOf(message);
    const { channels, samples } = readOgg(file);
    expect(channels).toBe(1);
    expect(samples / 48_000).toBeCloseTo(attachment?.durationSecs ?? 0, 3);
    const sound = await decodeOggOpus(file);
    expect(rms(sound)).toBeGreaterThan(300);
    const waveform = Buffer.from(attachment?.waveform ?? '', 'base64');
    expect(waveform.length).toBeLessThanOrEqual(256);
    // The picture shows the loudness that is really there.
    const points = Float32Array.from(waveform);
    expect(Math.max(...points) - Math.min(...points)).toBeGreaterThan(60);
  });

  it('posts a WAV file that sounds like the voice message', async () => {
    const message = await bot.sandbox.run('/say', { text: SENTENCE });
    const voiceMessage = await decodeOggOpus(await fileOf(message.messages[0]));
    const wav = await bot.sandbox.run('/say', { text: SENTENCE, as: 'wav' });
    expect(wav.messages[0]?.attachments[0]).toMatchObject({
      filename: 'speech.wav',
      contentType: 'audio/x-wav',
    });
    const { samples, sampleRate } = decodeWav(await fileOf(wav.messages[0]));
    expect(sampleRate).toBe(44_100);
    expect(samples.length / 44_100).toBeCloseTo(voiceMessage.length / 48_000, 1);
    const same = await resample(samples, 44_100, 48_000);
    expect(envelopeCorrelation(same, voiceMessage, 48_000)).toBeGreaterThan(0.95);
  });

  it('posts an MP3 file', async () => {
    const answer = await bot.sandbox.run('/say', { text: SENTENCE, as: 'mp3' });
    expect(answer.messages[0]?.attachments[0]).toMatchObject({
      filename: 'speech.mp3',
      contentType: 'audio/mpeg',
    });
    const { samples, sampleRate } = await decodeMp3(await fileOf(answer.messages[0]));
    expect(samples.length / sampleRate).toBeGreaterThan(2);
    expect(rms(samples)).toBeGreaterThan(300);
  });

  it('speaks a text of 2,000 characters in one piece', async () => {
    const text = `${'A sentence of a long report that somebody wants to hear. '.repeat(40)}`.slice(
      0,
      2_000,
    );
    const answer = await bot.sandbox.run('/say', { text });
    expect(answer.messages).toHaveLength(1);
    const { samples } = readOgg(await fileOf(answer.messages[0]));
    expect(samples / 48_000).toBeGreaterThan(80);
  });

  it('does what its settings say', async () => {
    const plain = await heard({ text: SENTENCE });
    const fast = await heard({ text: SENTENCE, speed: 2 });
    expect(fast.length / plain.length).toBeCloseTo(0.5, 1);
    const fitted = await heard({ text: SENTENCE, duration: 5 });
    expect(fitted.length).toBe(5 * 44_100);
    const high = await heard({ text: SENTENCE, pitch: 7 });
    expect(12 * Math.log2(medianF0(high, 44_100) / medianF0(plain, 44_100))).toBeCloseTo(7, -0.5);
    const walter = await heard({ text: SENTENCE, voice: 'walter' });
    expect(medianF0(walter, 44_100)).toBeLessThan(0.8 * medianF0(plain, 44_100));
  });

  it.each([
    ['Korean', '좋은 아침입니다, 여러분. 새 빌드가 준비되었습니다.', 'ko'],
    ['Japanese', 'おはようございます。新しいビルドができました。', 'ja'],
    ['Arabic', 'صباح الخير جميعا', 'ar'],
    ['German', 'Guten Morgen zusammen, der Bericht ist fertig.', 'de'],
    ['emoji', 'Well done 🎉👩‍👩‍👧‍👦', 'en'],
  ])('speaks %s, with a model that has the language', async (_, text, language) => {
    expect(rms(await heard({ text, language }))).toBeGreaterThan(300);
  });

  it('reads a text in the language of its letters when nobody names one', async () => {
    const text = '좋은 아침입니다, 여러분.';
    const guessed = await heard({ text });
    const named = await heard({ text, language: 'ko' });
    expect(guessed.length / named.length).toBeCloseTo(1, 1);
    expect(envelopeCorrelation(guessed, named, 44_100)).toBeGreaterThan(0.9);
  });

  it('accepts a voice and a language by their names', async () => {
    const answer = await bot.sandbox.run(
      '/say',
      { text: 'Guten Morgen', voice: 'theo', language: 'Deutsch' },
      { locale: 'de' },
    );
    expect(answer.messages[0]?.voiceMessage).toBe(true);
  });

  it('tells the member alone which settings the model ignores', async () => {
    const answer = await bot.sandbox.run('/say', {
      text: SENTENCE,
      model: 'engine_api_3',
      pitch: 3,
      guidance: 2,
    });
    const [posted, note] = await answer.until((messages) => messages.length === 2);
    expect(posted?.voiceMessage).toBe(true);
    expect(note).toMatchObject({
      ephemeral: true,
      content: 'The model engine_api_3 ignores “pitch”, “guidance”.',
    });
  });

  it('tells the member alone how duration and speed work together', async () => {
    const answer = await bot.sandbox.run('/say', { text: SENTENCE, duration: 2, speed: 2 });
    const [, note] = await answer.until((messages) => messages.length === 2);
    expect(note).toMatchObject({ ephemeral: true });
    expect(note?.content).toContain('lasts 4 s');
  });

  it('pings nobody, whoever the text mentions', async () => {
    const { member } = bot.sandbox.team;
    const answer = await bot.sandbox.run('/say', {
      text: `Hello <@${member.user.id}> and @everyone`,
    });
    expect(answer.messages[0]?.pings).toEqual({ users: [], roles: [], everyone: false });
  });
});

describe('where voice messages are not allowed', () => {
  it('posts a file and tells the member why', async () => {
    const { world, team, application } = bot.sandbox;
    const channel = world.addChannel(team.guild, { name: 'quiet', type: ChannelType.GuildText });
    const self = team.guild.members.get(application.id);
    if (!self) throw new Error('the bot is not in its guild');
    world.setOverwrite(channel, self, { deny: PermissionFlagsBits.SendVoiceMessages });
    const answer = await bot.sandbox.run('/say', { text: SENTENCE }, { channel });
    const [posted, note] = await answer.until((messages) => messages.length === 2);
    expect(posted).toMatchObject({ voiceMessage: false, ephemeral: false });
    expect(readOgg(await fileOf(posted)).samples).toBeGreaterThan(48_000);
    expect(note).toMatchObject({ ephemeral: true });
    expect(note?.content).toContain('Send Voice Messages');
  });
});

describe('completion', () => {
  it('offers voices by name, gender, use and language', async () => {
    const names = (typed: string) =>
      bot.sandbox.autocomplete('/say', { text: 'Hi', voice: typed }, 'voice');
    expect(await names('')).not.toHaveLength(0);
    for (const choice of await names('elder male')) expect(choice.name).toMatch(/male, elder/);
    for (const choice of await names('narration')) expect(choice.name).toMatch(/narration/);
    expect((await names('clar')).map(({ value }) => value)).toEqual(['clara']);
    expect(await names('zzz')).toEqual([]);
  });

  it('offers the languages in the language of the member', async () => {
    const offered = await bot.sandbox.autocomplete(
      '/say',
      { text: 'Hi', language: '독' },
      'language',
      {
        locale: 'ko',
      },
    );
    expect(offered).toEqual([{ name: '독일어', value: 'de' }]);
  });

  it('offers the own language of the member first, for not all 31 fit', async () => {
    const offered = await bot.sandbox.autocomplete(
      '/say',
      { text: 'Hi', language: '' },
      'language',
      { locale: 'vi' },
    );
    expect(offered).toHaveLength(25);
    expect(offered[0]?.value).toBe('vi');
  });

  it('offers the styles of the chosen voice', async () => {
    const styles = async (voice: string) =>
      (await bot.sandbox.autocomplete('/say', { text: 'Hi', voice, style: '' }, 'style')).map(
        ({ value }) => value,
      );
    expect(await styles('aria')).toContain('happy');
    expect(await styles('marcus')).not.toEqual(await styles('aria'));
    expect(await styles('nobody')).toEqual([]);
  });

  it('offers the models with what they can do', async () => {
    const offered = await bot.sandbox.autocomplete('/say', { text: 'Hi', model: '' }, 'model');
    expect(offered).toHaveLength(5);
    expect(offered).toContainEqual({
      name: 'engine_api_3 · 31 languages, 1 setting',
      value: 'engine_api_3',
    });
  });
});

describe('a mistake gets a sentence that only the member sees, and nothing is posted', () => {
  it.each([
    ['an empty text', { text: ' ** ** ' }, /nothing in that text that can be spoken/],
    ['2,001 characters', { text: 'x'.repeat(2_001) }, /2,001 characters; at most 2,000/],
    ['an unknown voice', { text: 'Hi', voice: 'Nobody' }, /There is no voice “Nobody”: .*\/voices/],
    [
      'an unknown language',
      { text: 'Hi', language: 'Klingon' },
      /“Klingon” is not possible as language/,
    ],
    [
      'a language that the model lacks',
      { text: 'Hallo', language: 'de', model: 'sona_speech_1' },
      /“de” is not possible as language with this model; use one of: English, Korean, Japanese\./,
    ],
    [
      'a style that the voice lacks',
      { text: 'Hi', voice: 'aria', style: 'furious' },
      /“furious” is not possible as style with this voice; use one of: neutral, happy/,
    ],
    [
      'an unknown model',
      { text: 'Hi', model: 'sona_9' },
      /“sona_9” is not possible as model; use one of: sona_speech_1/,
    ],
    ['pitch 25', { text: 'Hi', pitch: 25 }, /“pitch” must be from -24 to 24/],
    ['speed 0.4', { text: 'Hi', speed: 0.4 }, /“speed” must be from 0.5 to 2/],
  ])('%s', async (_, options, sentence) => {
    const before = bot.sandbox.messages().length;
    // Discord's own client holds some of these back; a modified one does not.
    const answer = await bot.sandbox.run('/say', options, { unchecked: true });
    expect(answer.messages).toHaveLength(1);
    expect(answer.messages[0]).toMatchObject({ ephemeral: true, attachments: [] });
    expect(answer.messages[0]?.content).toMatch(sentence);
    expect(bot.sandbox.messages()).toHaveLength(before);
  });

  it('a file that is larger than the server takes', async () => {
    const { guild } = bot.sandbox.team;
    const limit = guild.attachmentSizeLimit;
    guild.attachmentSizeLimit = 100_000;
    try {
      const answer = await bot.sandbox.run('/say', { text: SENTENCE, as: 'wav' });
      expect(answer.messages).toHaveLength(1);
      expect(answer.messages[0]).toMatchObject({ ephemeral: true, attachments: [] });
      expect(answer.messages[0]?.content).toMatch(
        /this server takes 0.1 MiB: choose a voice message/,
      );
    } finally {
      guild.attachmentSizeLimit = limit;
    }
  });
});

it('sends Discord only what its published description allows', ({ skip }) => {
  const faults = bot.requestFaults();
  skip(!faults, "Discord's description is not beside the checkout (../shared/data)");
  expect(faults).toEqual([]);
});
