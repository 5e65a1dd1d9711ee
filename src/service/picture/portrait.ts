import { createHash } from 'node:crypto';
import {
  type Colour,
  circle,
  ellipse,
  type Layer,
  mix,
  oklch,
  outline,
  paint,
  type Shape,
  stroke,
  union,
  without,
} from './canvas.ts';
import type { Picture } from './png.ts';

/** What a portrait shows of a voice. */
export interface Sitter {
  voice_id: string;
  age: string;
}

const SIZE = 400;
const CENTRE = SIZE / 2;

/** Rows of one colour in the background: too little for the eye, much for the size of the file. */
const BAND = 8;

/** Hues that are told apart at a glance, in degrees. */
const HUES = [20, 45, 75, 110, 145, 175, 205, 235, 262, 290, 318, 348];

/** The thumbnail of a voice, 400 × 400: always the same for the same voice, and like no other. */
export function portrait({ voice_id, age }: Sitter): Picture {
  const digest = createHash('sha256').update(`voice ${voice_id}`).digest();
  let used = 0;
  /** A whole number below `count`, the next one that the id decides. */
  const choose = (count: number) => {
    used += 1;
    return (digest[used] ?? 0) % count;
  };

  const hue = HUES[choose(HUES.length)] ?? 0;
  const [deep, bright] = [oklch(0.5, 0.16, hue), oklch(0.8, 0.13, hue + 45)];
  const face = oklch(0.93, 0.05, hue + 60 + choose(4) * 40);
  const ink = oklch(0.27, 0.07, hue + 10);
  const coat = oklch(0.38, 0.12, hue + 180 + choose(3) * 30);
  const hair = age === 'elder' ? oklch(0.86, 0.015, hue) : hairColour(choose(5), hue);
  const head = age === 'child' ? { y: 212, rx: 92, ry: 88 } : { y: 192, rx: 84, ry: 96 };
  const eyes = {
    y: head.y + (age === 'child' ? 14 : 2),
    apart: 33,
    size: age === 'child' ? 12 : 9,
  };
  const mouth = head.y + head.ry * 0.56;

  const layers: Layer[] = [
    {
      shape: () => -1,
      colour: (_x, y) => mix(bright, deep, Math.floor(y / BAND) / (SIZE / BAND)),
    },
    ...rings(head.y),
    ...hairBehind(choose(5), head, hair),
    { shape: ellipse(CENTRE, SIZE + 48, 158, 140), colour: coat },
    { shape: stroke([CENTRE, head.y + 60], [CENTRE, 302], 58), colour: mix(face, ink, 0.18) },
    { shape: ellipse(CENTRE, head.y, head.rx, head.ry), colour: face },
    ...hairInFront(choose(4), head, hair),
    ...[-1, 1].flatMap((side) => [
      { shape: circle(CENTRE + side * eyes.apart, eyes.y, eyes.size), colour: ink },
      {
        shape: circle(CENTRE + side * eyes.apart + 3, eyes.y - 3, eyes.size / 3.2),
        colour: [1, 1, 1] as Colour,
      },
      {
        shape: ellipse(CENTRE + side * 52, eyes.y + 32, 15, 10),
        colour: oklch(0.75, 0.13, 20),
        opacity: 0.5,
        blur: 8,
      },
    ]),
    ...(age === 'elder' ? glasses(eyes, ink) : []),
    { shape: smile(mouth, choose(4)), colour: ink },
    { shape: badge(choose), colour: [1, 1, 1], opacity: 0.85 },
  ];
  return paint(SIZE, deep, layers);
}

function hairColour(choice: number, hue: number): Colour {
  const colours = [
    oklch(0.3, 0.04, 50),
    oklch(0.45, 0.09, 50),
    oklch(0.8, 0.12, 85),
    oklch(0.55, 0.15, 40),
    oklch(0.42, 0.14, hue + 150),
  ];
  return colours[choice] ?? [0, 0, 0];
}

/** Sound that spreads from the head. */
function rings(y: number): Layer[] {
  return [132, 172, 212].map((radius, index) => ({
    shape: outline(circle(CENTRE, y, radius), 12),
    colour: [1, 1, 1],
    opacity: 0.3 - index * 0.08,
  }));
}

interface Head {
  y: number;
  rx: number;
  ry: number;
}

function hairBehind(choice: number, { y, rx, ry }: Head, colour: Colour): Layer[] {
  const shapes: (Shape | undefined)[] = [
    undefined,
    // To the shoulders
    union(
      ellipse(CENTRE, y - 8, rx + 20, ry + 16),
      stroke([CENTRE - rx + 6, y], [CENTRE - rx - 4, y + 108], 50),
      stroke([CENTRE + rx - 6, y], [CENTRE + rx + 4, y + 108], 50),
    ),
    // A bun
    circle(CENTRE, y - ry - 22, 38),
    // To the chin
    ellipse(CENTRE, y + 8, rx + 24, ry + 8),
    // Curls
    union(
      ...Array.from({ length: 13 }, (_, index) => {
        const angle = Math.PI * (0.9 + (index / 12) * 1.2);
        return circle(CENTRE + Math.cos(angle) * (rx + 2), y - 6 + Math.sin(angle) * (ry + 2), 30);
      }),
    ),
  ];
  const shape = shapes[choice];
  return shape ? [{ shape, colour }] : [];
}

function hairInFront(choice: number, { y, rx, ry }: Head, colour: Colour): Layer[] {
  const cap = ellipse(CENTRE, y - 4, rx + 7, ry + 8);
  const shapes: Shape[] = [
    // Parted on either side
    without(cap, circle(CENTRE + 34, y + 42, 112)),
    without(cap, circle(CENTRE - 34, y + 42, 112)),
    // A fringe
    without(cap, ellipse(CENTRE, y + 70, rx + 26, 118)),
    // High at the temples
    without(
      cap,
      union(circle(CENTRE - 42, y + 10, 78), circle(CENTRE + 42, y + 10, 78), (_x, at) => y - at),
    ),
  ];
  const shape = shapes[choice];
  return shape ? [{ shape, colour }] : [];
}

function glasses({ y, apart }: { y: number; apart: number }, colour: Colour): Layer[] {
  const lens = (side: number) => outline(circle(CENTRE + side * apart, y, 24), 6);
  const bridge = stroke([CENTRE - 9, y - 3], [CENTRE + 9, y - 3], 6);
  return [{ shape: union(lens(-1), lens(1), bridge), colour }];
}

/** A smile, narrow or broad, closed or open. */
function smile(y: number, choice: number): Shape {
  const broad = 22 + (choice % 2) * 8;
  const chin = circle(CENTRE, y - broad, broad * 1.25);
  if (choice < 2) return without(chin, (_x, at) => at - y + 2);
  return without(outline(chin, 7), (_x, at) => at - y + 4);
}

/** Five bars of a sound meter, in the voice's own pattern: the badge on the coat. */
function badge(choose: (count: number) => number): Shape {
  const bars = [-2, -1, 0, 1, 2].map((place) => {
    const half = 5 + choose(4) * 5;
    const x = CENTRE + place * 22;
    return stroke([x, 360 - half], [x, 360 + half], 12);
  });
  return union(...bars);
}
