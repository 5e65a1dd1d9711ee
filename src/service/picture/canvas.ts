import type { Picture } from './png.ts';

/** Red, green and blue, each 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number];

/** Distance in pixels from a point to an outline: negative inside. */
export type Shape = (x: number, y: number) => number;

/** What is painted on the layers before it. */
export interface Layer {
  shape: Shape;
  colour: Colour | ((x: number, y: number) => Colour);
  /** 0 to 1. Default 1. */
  opacity?: number;
  /** Pixels over which the edge fades. Default 1, which smooths it. */
  blur?: number;
}

/** Pixels along the side of a tile. */
const TILE = 20;

/** Paints layers onto a square, each pixel by how much of it lies inside. */
export function paint(size: number, background: Colour, layers: readonly Layer[]): Picture {
  const rgb = new Uint8Array(size * size * 3);
  for (let top = 0; top < size; top += TILE) {
    for (let left = 0; left < size; left += TILE) {
      // Most layers are far from most pixels: looking at a tile's middle saves looking at all of it.
      const near = layers.filter(
        ({ shape, blur = 1 }) => shape(left + TILE / 2, top + TILE / 2) < TILE + blur,
      );
      for (let y = top; y < Math.min(size, top + TILE); y += 1) {
        for (let x = left; x < Math.min(size, left + TILE); x += 1) {
          rgb.set(pixel(x, y, background, near), (y * size + x) * 3);
        }
      }
    }
  }
  return { width: size, height: size, rgb };
}

function pixel(x: number, y: number, background: Colour, layers: readonly Layer[]): Colour {
  let colour = background;
  for (const { shape, colour: paints, opacity = 1, blur = 1 } of layers) {
    const distance = shape(x + 0.5, y + 0.5);
    if (distance >= blur / 2) continue;
    const over = typeof paints === 'function' ? paints(x, y) : paints;
    colour = mix(colour, over, opacity * Math.min(1, 0.5 - distance / blur));
  }
  return [levels(colour[0]), levels(colour[1]), levels(colour[2])];
}

/** 64 levels: no eye tells them from 256 in a flat picture, and its file is a sixth smaller. */
function levels(value: number): number {
  return Math.round(value * 63) * (255 / 63);
}

export function circle(cx: number, cy: number, radius: number): Shape {
  return (x, y) => Math.hypot(x - cx, y - cy) - radius;
}

export function ellipse(cx: number, cy: number, rx: number, ry: number): Shape {
  return (x, y) => {
    const [u, v] = [(x - cx) / rx, (y - cy) / ry];
    const norm = Math.hypot(u, v);
    // First order, which is exact enough near the outline.
    return norm === 0 ? -Math.min(rx, ry) : (norm * (norm - 1)) / Math.hypot(u / rx, v / ry);
  };
}

/** A line with round ends. */
export function stroke(
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
  width: number,
): Shape {
  const [dx, dy] = [bx - ax, by - ay];
  const squared = dx * dx + dy * dy || 1;
  return (x, y) => {
    const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / squared));
    return Math.hypot(x - ax - along * dx, y - ay - along * dy) - width / 2;
  };
}

/** The outline alone. */
export function outline(shape: Shape, width: number): Shape {
  return (x, y) => Math.abs(shape(x, y)) - width / 2;
}

export function union(...shapes: readonly Shape[]): Shape {
  return (x, y) => {
    let nearest = Number.POSITIVE_INFINITY;
    for (const shape of shapes) nearest = Math.min(nearest, shape(x, y));
    return nearest;
  };
}

export function without(shape: Shape, taken: Shape): Shape {
  return (x, y) => Math.max(shape(x, y), -taken(x, y));
}

/** A colour of even lightness and strength over all hues (OKLCH: 0 to 1, 0 to 0.3, degrees). */
export function oklch(lightness: number, chroma: number, hue: number): Colour {
  const radians = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(radians), chroma * Math.sin(radians)];
  const l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3;
  const m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3;
  const s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3;
  const linear = [
    4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
    -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
    -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s,
  ];
  const [red = 0, green = 0, blue = 0] = linear.map((value) => {
    const light = Math.max(0, Math.min(1, value));
    return light <= 0.003_130_8 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  });
  return [red, green, blue];
}

export function mix(from: Colour, to: Colour, share: number): Colour {
  return [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ];
}
