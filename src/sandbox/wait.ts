/** Something that says `change` whenever a look at it may find more. */
interface Changing {
  on(event: 'change', listener: () => void): unknown;
  off(event: 'change', listener: () => void): unknown;
}

/**
 * Waits until a look at something that says `change` finds what is wanted.
 *
 * @param look - gives what is waited for, or undefined while it is not there
 * @param options.timeout - milliseconds, after which the promise is rejected with `late()`
 * @param options.signal - ends the wait early
 */
export async function waitFor<Found>(
  events: Changing,
  look: () => Found | undefined,
  options: { timeout: number; late: () => Error; signal: AbortSignal },
): Promise<Found> {
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  const onChange = () => {
    try {
      const found = look();
      if (found !== undefined) resolve(found);
    } catch (error) {
      reject(error);
    }
  };
  const onAbort = () => reject(options.signal.reason);
  const timer = setTimeout(() => reject(options.late()), Math.max(0, options.timeout));
  events.on('change', onChange);
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (options.signal.aborted) onAbort();
    onChange();
    return await promise;
  } finally {
    clearTimeout(timer);
    events.off('change', onChange);
    options.signal.removeEventListener('abort', onAbort);
  }
}
