import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VoicePage } from '../../../src/contract/voices.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import { PRESETS } from '../../../src/engine/characters.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { encodePng } from '../../../src/service/picture/png.ts';
import { portrait } from '../../../src/service/picture/portrait.ts';
import { startService, type TestService } from './service.ts';

let engine: Engine;
let service: TestService;

beforeAll(async () => {
  engine = createEngine({ workers: 1 });
  service = await startService(engine);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
});

/** Width, height and pixels of a PNG whose rows are differences to the row above. */
function decode(png: Buffer) {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const start = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  const stride = width * 3;
  const rgb = new Uint8Array(height * stride);
  for (let y = 0; y < height; y += 1) {
    expect(rows[y * (stride + 1)]).toBe(2);
    for (let x = 0; x < stride; x += 1) {
      const above = y > 0 ? (rgb[(y - 1) * stride + x] ?? 0) : 0;
      rgb[y * stride + x] = (rows[y * (stride + 1) + 1 + x] ?? 0) + above;
    }
  }
  return { width, height, rgb };
}

/** The picture as people see it in a list: its colours at 40 × 40. */
function small({ width, rgb }: { width: number; rgb: Uint8Array }): number[] {
  const step = width / 40;
  return Array.from({ length: 40 * 40 * 3 }, (_, index) => {
    const [x, y] = [Math.floor(index / 3) % 40, Math.floor(index / 120)];
    let sum = 0;
    for (let dy = 0; dy < step; dy += 1) {
      for (let dx = 0; dx < step; dx += 1) {
        sum += rgb[((y * step + dy) * width + x * step + dx) * 3 + (index % 3)] ?? 0;
      }
    }
    return sum / step ** 2;
  });
}

describe('the picture of a voice', () => {
  test('shows at the address that the voice names, without a key, and may be kept', async () => {
    const { items } = VoicePage.parse((await service.call('/v1/voices?page_size=100')).json());
    const sizes = await Promise.all(
      items.map(async ({ thumbnail_image_url }) => {
        const answer = await fetch(thumbnail_image_url ?? '');
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
        expect(answer.headers.get('cache-control')).toContain('public');
        const bytes = Buffer.from(await answer.arrayBuffer());
        const { width, height } = decode(bytes);
        expect([width, height]).toEqual([400, 400]);
        return bytes.length;
      }),
    );
    expect(Math.max(...sizes)).toBeLessThan(30_000);
  });

  test('is the same every time', async () => {
    const sitter = { voice_id: 'aria', age: 'child' };
    const [one, two] = await Promise.all([
      encodePng(portrait(sitter)),
      encodePng(portrait(sitter)),
    ]);
    expect(one.equals(two)).toBe(true);
  });

  test('is told from every other one, even when it is small', () => {
    const seen = PRESETS.map(({ id, age }) => small(portrait({ voice_id: id, age })));
    for (const [index, one] of seen.entries()) {
      for (const other of seen.slice(index + 1)) {
        const difference = one.reduce(
          (sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)),
          0,
        );
        expect(difference / one.length).toBeGreaterThan(8);
      }
    }
  });

  test('of a voice that does not exist is 404', async () => {
    for (const id of ['nobody', '%00', '..%2f..%2fetc', '목소리', 'a'.repeat(2_000)]) {
      const { status } = await service.call(`/v1/voices/${id}/thumbnail.png`);
      expect(status).toBe(404);
    }
  });
});
