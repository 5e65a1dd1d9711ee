import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Measure } from './measures.ts';
import { memory } from './memory.ts';
import { say } from './say.ts';
import { service } from './service.ts';
import { speech } from './speech.ts';
import { start } from './start.ts';
import { voice } from './voice.ts';

const PARTS = [say, speech, service, start, memory, voice];

const { values: options } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string', default: '' } },
});

const measures: Measure[] = [];
for (const part of PARTS) {
  // "--only speech.per" names a measure of a part, "--only sp" several parts.
  if (!part.prefix.startsWith(options.only) && !options.only.startsWith(part.prefix)) continue;
  const found = (await part.run()).filter(({ name }) => name.startsWith(options.only));
  for (const { name, value, unit } of found) {
    console.log(`${name.padEnd(32)} ${value.toFixed(2).padStart(12)}  ${unit}`);
  }
  measures.push(...found);
}
if (options.json) await writeFile(options.json, `${JSON.stringify(measures, null, 2)}\n`);
if (measures.length === 0) {
  console.error(`No measure begins with "${options.only}".`);
  process.exitCode = 1;
}
