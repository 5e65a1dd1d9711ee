/** Milliseconds of a bucket. */
export const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** A stretch of time, cut into hours or days of one time zone. */
export interface Buckets {
  count: number;
  /** Milliseconds since the Unix epoch at which a bucket begins; `count` gives the end of the last. */
  startOf(index: number): number;
  /** RFC 3339 with the offset that the stretch was named in. */
  format(time: number): string;
}

/**
 * Buckets begin at full hours or midnights of the offset in `startTime` (supplement, "Usage
 * analytics"). The first and the last may reach beyond the stretch.
 *
 * @param startTime - RFC 3339 with an offset
 * @param endTime - RFC 3339, after `startTime`
 */
export function bucketsOf(startTime: string, endTime: string, widthMs: number): Buckets {
  const [, suffix = 'Z', sign, hours, minutes] = /(Z|([+-])(\d\d):(\d\d))$/i.exec(startTime) ?? [];
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  const offset = sign === '-' ? -size : size;
  const first = Math.floor((Date.parse(startTime) + offset) / widthMs) * widthMs - offset;
  return {
    count: Math.ceil((Date.parse(endTime) - first) / widthMs),
    startOf: (index) => first + index * widthMs,
    format: (time) => new Date(time + offset).toISOString().slice(0, 19) + suffix,
  };
}
