import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const biome = join(ROOT, 'node_modules/.bin/biome');

/** A tree with the house's rules and one file that imports through a wall, or does not. */
const house = mkdtempSync(join(tmpdir(), 'hark-walls-'));
const rules = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
writeFileSync(
  join(house, 'biome.json'),
  JSON.stringify({ linter: rules.linter, overrides: rules.overrides }),
);
afterAll(() => rmSync(house, { recursive: true }));

function brokenBy(file: string, imported: string): boolean {
  const path = join(house, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `import { thing } from '${imported}';\n\nthing();\n`);
  try {
    execFileSync(biome, ['lint', path], { cwd: house, stdio: 'pipe' });
    return false;
  } catch (error) {
    const { stderr, stdout } = error as { stderr: Buffer; stdout: Buffer };
    return `${stdout}${stderr}`.includes('noRestrictedImports');
  }
}

describe('the walls of the house', () => {
  it.each([
    ['src/discord/a.ts', '../service/service.ts'],
    ['src/discord/b.ts', '../../commands/index.ts'],
    ['src/client/a.ts', '../engine/engine.ts'],
    ['commands/a.ts', '../src/service/service.ts'],
    ['src/service/a.ts', '../discord/deliver.ts'],
    ['src/service/routes/a.ts', '../../client/client.ts'],
    ['src/engine/a.ts', '../service/service.ts'],
    ['src/audio/a.ts', '../engine/engine.ts'],
    ['src/contract/a.ts', '../audio/pcm.ts'],
    ['src/contract/b.ts', 'discord.js'],
    ['src/sandbox/a.ts', '../discord/text.ts'],
    ['src/playback/a.ts', '../sandbox/sandbox.ts'],
  ])('%s may not import %s', (file, imported) => {
    expect(brokenBy(file, imported)).toBe(true);
  });

  it.each([
    ['src/discord/c.ts', '../client/client.ts'],
    ['commands/b.ts', '../src/discord/command.ts'],
    ['src/service/c.ts', '../engine/engine.ts'],
    ['src/engine/espeak/a.ts', '../../audio/resample.ts'],
    ['src/app.ts', './service/service.ts'],
  ])('%s may import %s', (file, imported) => {
    expect(brokenBy(file, imported)).toBe(false);
  });
});
