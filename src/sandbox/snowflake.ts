/** First millisecond of 2015: where Discord's ids begin to count. */
const DISCORD_EPOCH = 1_420_070_400_000n;

/** Makes a source of ids that ascend strictly, so that their order is the order of events. */
export function createSnowflakes(): () => string {
  let last = 0n;
  return () => {
    const now = (BigInt(Date.now()) - DISCORD_EPOCH) << 22n;
    last = now > last ? now : last + 1n;
    return last.toString();
  };
}
