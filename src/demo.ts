import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type App, startApp } from './app.ts';
import { parseConfig } from './config.ts';
import { UserError } from './errors.ts';
import { createLog } from './log.ts';
import { failToStart } from './process.ts';
import { type SandboxAnswer, SandboxRefusal, startSandbox } from './sandbox/sandbox.ts';

const OUTPUT = 'demo';

const LINES = [
  { language: 'en', text: 'Good morning, team! The new build is ready, and all tests are green.' },
  {
    language: 'ko',
    text: '좋은 아침입니다, 여러분! 새 빌드가 준비되었고 모든 테스트를 통과했습니다.',
  },
  {
    language: 'ja',
    text: 'おはようございます。新しいビルドができました。テストはすべて成功です。',
  },
];

/** Hark without a Discord account: the real bot and its voice service against a Discord on loopback. */
async function demo(texts: readonly { text: string; language?: string }[]): Promise<void> {
  const startedAt = performance.now();
  await using sandbox = await startSandbox();
  const config = parseConfig({
    DISCORD_API_URL: sandbox.apiUrl,
    DATABASE_URL: 'sqlite::memory:',
    STORE_URL: 'sqlite::memory:',
    LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
  });
  const app: App = await startApp(
    config,
    sandbox.token,
    createLog(config.logLevel, [sandbox.token]),
  );
  try {
    console.log(`Hark is ready after ${since(startedAt)}.\n`);
    const voices = await timed('/voices', () => sandbox.run('/voices'));
    console.log(`${shown(voices)}\n`);
    await mkdir(OUTPUT, { recursive: true });
    for (const [index, options] of texts.entries()) {
      const answer = await timed(`/say ${options.text}`, () => sandbox.run('/say', options));
      console.log(shown(answer));
      await save(answer, join(OUTPUT, `say-${index + 1}.ogg`));
    }
  } finally {
    await app.stop();
  }
}

async function timed(command: string, run: () => Promise<SandboxAnswer>): Promise<SandboxAnswer> {
  console.log(`> ${command}`);
  const startedAt = performance.now();
  const answer = await run().catch((cause: unknown) => {
    if (!(cause instanceof SandboxRefusal)) throw cause;
    throw new UserError(`Discord would not let a member send that: ${cause.message}`, { cause });
  });
  console.log(`  (answered in ${since(startedAt)})`);
  return answer;
}

/** What the member sees, as text. */
function shown(answer: SandboxAnswer): string {
  return answer.messages
    .flatMap(({ content, embeds, voiceMessage, ephemeral }) => [
      ...(voiceMessage ? ['[voice message]'] : []),
      ...(content ? [content] : []),
      ...embeds.flatMap(({ title, description }) => [title ?? '', description ?? '']),
      ...(ephemeral ? ['(only you can see this)'] : []),
    ])
    .flatMap((text) => text.split('\n'))
    .map((line) => `  ${line}`)
    .join('\n');
}

async function save(answer: SandboxAnswer, path: string): Promise<void> {
  const attachment = answer.messages[0]?.attachments[0];
  if (!attachment) throw new UserError('Nothing was said, so there is no sound to save.');
  const response = await fetch(attachment.url);
  if (!response.ok) throw new Error(`the sound could not be fetched: ${response.status}`);
  await writeFile(path, await response.bytes());
  console.log(`  saved as ${path}: ${attachment.durationSecs?.toFixed(2)} s of sound\n`);
}

function since(startedAt: number): string {
  return `${Math.round(performance.now() - startedAt)} ms`;
}

const text = process.argv.slice(2).join(' ').trim();
try {
  await demo(text ? [{ text }] : LINES);
} catch (error) {
  failToStart(error);
}
