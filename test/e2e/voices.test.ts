import { ComponentType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeWav } from '../../src/audio/wav.ts';
import type { SandboxAnswer, ShownMessage } from '../../src/sandbox/sandbox.ts';
import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { rms } from '../helpers/measure.ts';

let bot: TestBot;
beforeAll(async () => {
  bot = await startTestBot();
});
afterAll(() => bot[Symbol.asyncDispose]());

function only(answer: SandboxAnswer): ShownMessage {
  expect(answer.messages).toHaveLength(1);
  const [message] = answer.messages;
  if (!message) throw new Error('no message');
  expect(message.ephemeral).toBe(true);
  return message;
}

/** The custom ids of a message's controls, by their labels or placeholders. */
function controls(message: ShownMessage): Map<string, string> {
  return new Map(
    message.components.flatMap((row) =>
      row.type === ComponentType.ActionRow
        ? row.components.flatMap((control): [string, string][] => {
            if (control.type === ComponentType.Button && 'custom_id' in control) {
              return [[control.label ?? '', control.custom_id]];
            }
            if (control.type === ComponentType.StringSelect) {
              return [[control.placeholder ?? '', control.custom_id]];
            }
            return [];
          })
        : [],
    ),
  );
}

function control(message: ShownMessage, label: string): string {
  const id = controls(message).get(label);
  if (!id) throw new Error(`there is no "${label}"`);
  return id;
}

const namesOf = (message: ShownMessage) =>
  Array.from(message.embeds[0]?.description?.matchAll(/\*\*(.+?)\*\*/g) ?? [], ([, name]) => name);

describe('/voices', () => {
  it('lists the voices a page at a time, to the member alone', async () => {
    const first = only(await bot.sandbox.run('/voices'));
    expect(namesOf(first)).toHaveLength(10);
    expect(first.embeds[0]?.footer?.text).toMatch(/^Page 1 of \d+$/);
    const second = only(await bot.sandbox.click(first, control(first, 'Next')));
    expect(second.id).toBe(first.id);
    expect(second.embeds[0]?.footer?.text).toMatch(/^Page 2 of \d+$/);
    expect(namesOf(second).filter((name) => namesOf(first).includes(name))).toEqual([]);
    const back = only(await bot.sandbox.click(second, control(second, 'Back')));
    expect(namesOf(back)).toEqual(namesOf(first));
  });

  it('searches by what a voice is and can do', async () => {
    const found = only(await bot.sandbox.run('/voices', { gender: 'male', age: 'elder' }));
    expect(namesOf(found)).toContain('Walter');
    expect(found.embeds[0]?.description).not.toMatch(/female|young-adult/);
    const named = only(await bot.sandbox.run('/voices', { name: 'cla' }));
    expect(namesOf(named)).toEqual(['Clara']);
    const speaking = only(
      await bot.sandbox.run(
        '/voices',
        { language: 'Koreanisch', style: 'whisper' },
        { locale: 'de' },
      ),
    );
    expect(namesOf(speaking).length).toBeGreaterThan(0);
  });

  it('says so when no voice matches', async () => {
    const message = only(await bot.sandbox.run('/voices', { name: 'zzzz' }));
    expect(message.content).toMatch(/^No voice matches/);
  });

  it('keeps the filters while pages are turned', async () => {
    const first = only(await bot.sandbox.run('/voices', { language: 'en', style: 'neutral' }));
    const next = controls(first).get('Next');
    if (next) expect(next).toContain('language=en&style=neutral');
  });

  it('keeps a filter of any letters while pages are turned', async () => {
    const use_case = '내레이션:50%&=+,Narration,게임,game';
    const first = only(
      await bot.sandbox.run('/voices', { use_case, gender: 'female,male' }, { unchecked: true }),
    );
    const picked = await bot.sandbox.select(first, control(first, 'Hear a voice'), ['aria']);
    expect(only(picked).components).toEqual(first.components);
    expect(only(picked).embeds[0]?.title).toBe('Aria');
  });

  it.each(['en-US', 'ko', 'ja'] as const)(
    'shows a voice with a sample that plays, in %s',
    async (locale) => {
      const message = only(await bot.sandbox.run('/voices', { voice: 'aria' }, { locale }));
      expect(message.embeds[0]).toMatchObject({ title: 'Aria' });
      const [attachment] = message.attachments;
      expect(attachment?.filename).toBe('aria.wav');
      const response = await fetch(attachment?.url ?? '');
      const { samples, sampleRate } = decodeWav(await response.bytes());
      expect(samples.length / sampleRate).toBeGreaterThan(1);
      expect(rms(samples)).toBeGreaterThan(300);
    },
  );

  it('plays the voice that is picked from the list, and the list stays at hand', async () => {
    const list = only(await bot.sandbox.run('/voices'));
    const shown = only(await bot.sandbox.select(list, control(list, 'Hear a voice'), ['walter']));
    expect(shown.embeds[0]?.title).toBe('Walter');
    expect(shown.attachments.map(({ filename }) => filename)).toEqual(['walter.wav']);
    const other = only(await bot.sandbox.select(shown, control(shown, 'Hear a voice'), ['aria']));
    expect(other.attachments.map(({ filename }) => filename)).toEqual(['aria.wav']);
  });

  it('tells who asks for a voice that is not there', async () => {
    const message = only(await bot.sandbox.run('/voices', { voice: 'nobody' }));
    expect(message.content).toMatch(/^There is no voice “nobody”/);
  });
});

it('sends Discord only what its published description allows', ({ skip }) => {
  const faults = bot.requestFaults();
  skip(!faults, "Discord's description is not beside the checkout (../shared/data)");
  expect(faults).toEqual([]);
});
