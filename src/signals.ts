import type { Logger } from './log.ts';

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
