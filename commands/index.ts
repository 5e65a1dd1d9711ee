import type { Command } from '../src/discord/command.ts';
import { join } from './join.ts';
import { leave } from './leave.ts';
import { pause } from './pause.ts';
import { queue } from './queue.ts';
import { read } from './read.ts';
import { resume } from './resume.ts';
import { say } from './say.ts';
import { settings } from './settings.ts';
import { skip } from './skip.ts';
import { stop } from './stop.ts';
import { voices } from './voices.ts';
import { volume } from './volume.ts';

/** Every command that Hark has. */
export const commands: readonly Command[] = [
  say,
  voices,
  join,
  leave,
  skip,
  stop,
  pause,
  resume,
  queue,
  volume,
  read,
  settings,
];
