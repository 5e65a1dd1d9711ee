import type { Command } from '../src/discord/command.ts';
import { say } from './say.ts';
import { voices } from './voices.ts';

/** Every command that Hark has. */
export const commands: readonly Command[] = [say, voices];
