/** What mentions are called aloud. undefined means that it is not known. */
export interface MentionNames {
  user(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

/** Styles of Discord's timestamps that show a time, a date, or both. */
const TIMESTAMP_STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
  s: { dateStyle: 'short', timeStyle: 'short' },
  S: { dateStyle: 'short', timeStyle: 'medium' },
};

const RELATIVE_UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/**
 * Makes what a member typed speakable: mentions, custom emoji and timestamps become their names,
 * links their domain, and Discord's markup goes. What is left is what a person would read aloud; it is empty when that is nothing.
 *
 * @param text - content as Discord stores it
 * @param names - looks mentions up
 * @param locale - the language in which dates are written out
 * @param now - milliseconds since 1970, for relative timestamps
 * @see https://docs.discord.com/developers/reference#message-formatting
 */
export function speakableText(
  text: string,
  names: MentionNames,
  locale: string,
  now: number = Date.now(),
): string {
  const spoken = text
    .replaceAll(/```(?:[\w+-]+\n)?([\s\S]*?)```/g, '$1')
    .replaceAll(/\[([^\]\n]+)\]\(<?https?:\/\/[^)\s]+\)/g, '$1')
    .replaceAll(/<?https?:\/\/([^\s/<>?#]+)[^\s<>]*>?/g, (_, host: string) => domain(host))
    .replaceAll(/<@!?(\d+)>/g, (_, id: string) => names.user(id) ?? '')
    .replaceAll(/<@&(\d+)>/g, (_, id: string) => names.role(id) ?? '')
    .replaceAll(/<#(\d+)>/g, (_, id: string) => names.channel(id) ?? '')
    .replaceAll(/<\/([^:>]+):\d+>/g, '$1')
    .replaceAll(/<id:(\w+)>/g, '$1')
    .replaceAll(/<a?:(\w+):\d+>/g, (_, name: string) => name.replaceAll('_', ' '))
    .replaceAll(/<t:(-?\d{1,13})(?::([tTdDfFsSR]))?>/g, (_, seconds: string, style = 'f') =>
      spokenTime(Number(seconds), style, locale, now),
    )
    .replaceAll(/^\s*(?:#{1,3}|-#|>>>|>|[-*])\s+/gm, '')
    .replaceAll(/(\*\*\*|\*\*|__|~~|\|\||`+)(?=\S)([\s\S]*?\S)\1/g, '$2')
    .replaceAll(/(?<![\p{L}\p{N}])([*_])(?=\S)([^*_\n]*\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replaceAll(/[^\S\n]+/g, ' ')
    .trim();
  return /[\p{L}\p{N}\p{S}]/u.test(spoken) ? spoken : '';
}

function domain(host: string): string {
  return host.replace(/^www\./, '').replace(/:\d+$/, '');
}

function spokenTime(seconds: number, style: string, locale: string, now: number): string {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return '';
  if (style !== 'R') {
    return new Intl.DateTimeFormat(locale, { ...TIMESTAMP_STYLES[style], timeZone: 'UTC' }).format(
      date,
    );
  }
  const difference = seconds - now / 1_000;
  const [unit, length] =
    RELATIVE_UNITS.find(([, unitSeconds]) => Math.abs(difference) >= unitSeconds) ??
    (['second', 1] as const);
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(
    Math.round(difference / length),
    unit,
  );
}
