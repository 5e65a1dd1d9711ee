import { inspect } from 'node:util';
import { UserError } from './errors.ts';
import { describeError, type Logger } from './log.ts';

/**
 * Stops the program in order on SIGTERM or SIGINT; a second signal ends it at once.
 *
 * @param stop - ends every part; the process exits by itself when nothing is left that runs
 */
export function onStopSignal(stop: () => Promise<void>, log: Logger): void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) process.exit(1);
    asked = true;
    log.info({ signal }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop in order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Says on standard error why the program does not start, and makes it end with 1. */
export function failToStart(error: unknown): void {
  console.error(error instanceof UserError ? error.message : inspect(describeError(error)));
  process.exitCode = 1;
}
