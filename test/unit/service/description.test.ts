import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/engine/builtin.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { type Answer, startService, type TestService } from './service.ts';

let engine: Engine;
let service: TestService;
let document: Document;

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, unknown>; securitySchemes: unknown };
}

interface Described {
  operationId: string;
  parameters: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
  security?: unknown[];
}

beforeAll(async () => {
  engine = createEngine({ workers: 1 });
  service = await startService(engine);
  document = (await open('/openapi.json')).json() as Document;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
});

/** A page that needs no key. */
async function open(path: string): Promise<Answer> {
  const answer = await service.call(path, { headers: { 'x-sup-api-key': null } });
  expect(answer.status).toBe(200);
  return answer;
}

/** Everything that the interface has, by the supplement's list of paths. */
const PATHS = `
  POST /v1/text-to-speech/{voice_id}
  POST /v1/text-to-speech/{voice_id}/stream
  POST /v1/predict-duration/{voice_id}
  GET /v1/voices
  GET /v1/voices/search
  GET /v1/voices/{voice_id}
  POST /v1/custom-voices/cloned-voice
  GET /v1/custom-voices
  GET /v1/custom-voices/search
  GET /v1/custom-voices/{voice_id}
  PATCH /v1/custom-voices/{voice_id}
  DELETE /v1/custom-voices/{voice_id}
  GET /v1/credits
  GET /v1/voice-usage
  GET /v1/usage`
  .trim()
  .split(/\n\s*/);

function described(): [name: string, operation: Described][] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, Described] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

/** Every field of every object in a schema, wherever it stands, with the way to it. */
function fieldsOf(value: unknown, way = ''): [way: string, field: Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const found = fieldsOf(inner, `${way}/${name}`);
    if (name !== 'properties') return found;
    const fields = Object.entries(inner as Record<string, Record<string, unknown>>);
    return [
      ...fields.map(([field, schema]): [string, Record<string, unknown>] => [
        `${way}/${field}`,
        schema,
      ]),
      ...found,
    ];
  });
}

/** A schema, or the one that it refers to. */
function resolved(field: Record<string, unknown>): Record<string, unknown> {
  const name =
    String(field.$ref ?? '')
      .split('/')
      .at(-1) ?? '';
  return { ...(document.components.schemas[name] as object), ...field };
}

describe('the description of the interface', () => {
  test('is a valid OpenAPI 3.1 document of the version that the specification names', async () => {
    const result = await new Validator().validate({ ...document });
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('0.9.6');
  });

  test('has every operation of the interface, and each of them is served', async () => {
    const names = described().map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(PATHS));
    for (const [path, operations] of Object.entries(document.paths)) {
      const real = path.replaceAll(/\{\w+\}/g, 'x');
      const { status, headers } = await service.call(real, { method: 'PUT' });
      expect([path, status]).toEqual([path, 405]);
      const allowed = String(headers.allow).split(', ');
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      expect(allowed).toEqual(expect.arrayContaining(methods));
    }
  });

  test('says of every field what it is, with a description or an example', () => {
    const parameters = described().flatMap(([name, { parameters }]) =>
      parameters.map((parameter): [string, Record<string, unknown>] => {
        const { schema, description } = parameter as unknown as Record<string, object>;
        return [`${name} ${parameter.name}`, { ...schema, ...(description && { description }) }];
      }),
    );
    const fields = [...fieldsOf(document), ...parameters];
    expect(fields.length).toBeGreaterThan(80);
    const silent = fields
      .map(([way, field]): [string, Record<string, unknown>] => [way, resolved(field)])
      .filter(([, { title, description, examples }]) => !title || !(description || examples))
      .map(([way]) => way);
    expect(silent).toEqual([]);
  });

  test('names the unit wherever a number has one', () => {
    const settings = fieldsOf(document).filter(([way]) => way.includes('VoiceSettings/'));
    expect(settings.length).toBe(7);
    for (const [, { description }] of settings) expect(description).toMatch(/Unit: \w+/);
  });

  test('shows each error in the shape that it has', () => {
    for (const [name, { responses, security }] of described()) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        const message = ['400', '415'].includes(status)
          ? expect.any(String)
          : { message: expect.any(String), error: expect.any(String), status_code: Number(status) };
        expect(content?.['application/json']?.example).toEqual({ status: 'error', message });
      }
      expect([name, '401' in responses]).toEqual([name, security === undefined]);
    }
  });

  test('gives every operation a name of its own', () => {
    const ids = described().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the page for people', () => {
  test('shows every operation and every field, and loads nothing from anywhere', async () => {
    const { headers, bytes } = await open('/docs');
    const page = bytes.toString();
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    const fields = fieldsOf(document).map(([way]) => String(way.split('/').at(-1)));
    const names = [...Object.keys(document.paths), ...fields];
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
    expect(page).not.toMatch(/<script|<img|<link|@import|url\(|style="|\son\w+=/);
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g)) {
      expect(address).toMatch(/^#|^openapi\.json$/);
    }
  });

  test('has an end for every link', async () => {
    const page = (await open('/docs')).bytes.toString();
    const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
  });
});
