/** Counters whose number changes its reading; the counter itself is read along with it. */
const COUNTERS: Readonly<
  Record<string, { reading: string; last?: Record<number, string>; whole?: Record<number, string> }>
> = {
  年: { reading: 'ネン', last: { 4: 'ヨ' } },
  円: { reading: 'エン', last: { 4: 'ヨ' } },
  時: { reading: 'ジ', last: { 4: 'ヨ', 7: 'シチ', 9: 'ク' } },
  月: { reading: 'ガツ', last: { 4: 'シ', 7: 'シチ', 9: 'ク' } },
  人: { reading: 'ニン', last: { 4: 'ヨ' }, whole: { 1: 'ヒトリ', 2: 'フタリ' } },
  日: {
    reading: 'ニチ',
    whole: {
      2: 'フツカ',
      3: 'ミッカ',
      4: 'ヨッカ',
      5: 'イツカ',
      6: 'ムイカ',
      7: 'ナノカ',
      8: 'ヨウカ',
      9: 'ココノカ',
      10: 'トオカ',
      14: 'ジュウヨッカ',
      20: 'ハツカ',
      24: 'ニジュウヨッカ',
    },
  },
  分: {
    reading: 'フン',
    whole: {
      1: 'イップン',
      3: 'サンプン',
      4: 'ヨンプン',
      6: 'ロップン',
      8: 'ハップン',
      10: 'ジュップン',
      20: 'ニジュップン',
      30: 'サンジュップン',
      40: 'ヨンジュップン',
      50: 'ゴジュップン',
    },
  },
};

const DIGITS = ['ゼロ', 'イチ', 'ニ', 'サン', 'ヨン', 'ゴ', 'ロク', 'ナナ', 'ハチ', 'キュウ'];

const TENS = ['', 'ジュウ', 'ヒャク', 'セン'];

/** Readings that voice or double their consonant, by digit and power of ten. */
const CHANGED: Readonly<Record<string, string>> = {
  '3,2': 'サンビャク',
  '6,2': 'ロッピャク',
  '8,2': 'ハッピャク',
  '3,3': 'サンゼン',
  '8,3': 'ハッセン',
};

const MYRIADS = ['', 'マン', 'オク', 'チョウ', 'ケイ'];

const KANJI_DIGITS = '〇一二三四五六七八九';

const ARABIC = /(?<!\d)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?([年円時月人日分]?)/gu;

/** Kanji numbers only where a counter shows that they are numbers: 一番 and 十分 are words. */
const KANJI = /(?<!第)([〇一二三四五六七八九十百千万億]+)([年円時月人])/gu;

/** Writes the numbers of a Japanese text out in katakana, with the counters that follow them. */
export function readJapaneseNumbers(text: string): string {
  return text
    .replace(KANJI, (found: string, number: string, counter: string) => {
      const value = kanjiValue(number);
      return value === undefined ? found : withCounter(String(value), counter);
    })
    .replace(
      ARABIC,
      (_, whole: string, decimals: string | undefined, counter: string, at: number) => {
        const digits = whole.replaceAll(',', '');
        if (decimals) return `${readWhole(digits)}テン${digitByDigit(decimals)}${counter}`;
        // The first of a month has a word of its own; a single day has not.
        if (digits === '1' && counter === '日' && /[月ツ]$/u.test(text.slice(0, at))) {
          return 'ツイタチ';
        }
        return counter ? withCounter(digits, counter) : readWhole(digits);
      },
    );
}

function withCounter(digits: string, counter: string): string {
  const rules = COUNTERS[counter];
  if (!rules) return readWhole(digits) + counter;
  const value = Number(digits);
  const special = rules.whole?.[value];
  if (special) return special;
  const last = rules.last?.[value % 10];
  if (!last) return readWhole(digits) + rules.reading;
  const rest = value - (value % 10);
  return (rest > 0 ? readWhole(String(rest)) : '') + last + rules.reading;
}

function readWhole(digits: string): string {
  const significant = digits.replace(/^0+/u, '');
  // A telephone number, or more than has a name.
  if ((digits.length > 1 && digits.startsWith('0')) || significant.length > 20) {
    return digitByDigit(digits);
  }
  if (significant === '') return 'ゼロ';
  const groups: string[] = [];
  for (let end = significant.length; end > 0; end -= 4) {
    groups.push(significant.slice(Math.max(0, end - 4), end));
  }
  return groups
    .map((group, power) => {
      const reading = readGroup(group, power);
      return reading === '' ? '' : reading + MYRIADS[power];
    })
    .reverse()
    .join('');
}

/** Up to four digits. A thousand alone is セン, but イッセン before a larger unit. */
function readGroup(group: string, power: number): string {
  return [...group]
    .map((character, index) => {
      const digit = Number(character);
      const ten = group.length - 1 - index;
      if (digit === 0) return '';
      if (ten === 0) return DIGITS[digit];
      if (digit === 1) return ten === 3 && power > 0 ? 'イッセン' : TENS[ten];
      return CHANGED[`${digit},${ten}`] ?? `${DIGITS[digit]}${TENS[ten]}`;
    })
    .join('');
}

function digitByDigit(digits: string): string {
  return [...digits].map((digit) => DIGITS[Number(digit)]).join('');
}

/** The value of 三百二十 or of 二〇二四; undefined where the signs do not make a number. */
function kanjiValue(number: string): number | undefined {
  if ([...number].every((sign) => KANJI_DIGITS.includes(sign))) {
    if (number.length > 1 && !/〇|^.{3,}$/u.test(number)) return undefined;
    return Number([...number].map((sign) => KANJI_DIGITS.indexOf(sign)).join(''));
  }
  let total = 0;
  let group = 0;
  let digit = 0;
  for (const sign of number) {
    const small = '十百千'.indexOf(sign);
    if (small >= 0) {
      group += (digit || 1) * 10 ** (small + 1);
      digit = 0;
    } else if (sign === '万' || sign === '億') {
      total += (group + digit || 1) * (sign === '万' ? 1e4 : 1e8);
      group = 0;
      digit = 0;
    } else {
      digit = KANJI_DIGITS.indexOf(sign);
    }
  }
  return total + group + digit;
}
