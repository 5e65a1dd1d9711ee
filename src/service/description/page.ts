import { createHash } from 'node:crypto';
import { SpeechRequest } from '../../contract/speech.ts';
import type { Json } from './document.ts';
import { ERRORS, type Operation, TAGS } from './operation.ts';
import { OPERATIONS } from './operations.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 6rem; }
h2 { margin-top: 3rem; border-bottom: 2px solid; }
h3 { margin: 2.5rem 0 .25rem; }
h3 code { font-size: .95em; }
code, pre { font-family: ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem 1rem; border-radius: .5rem; background: #8882; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884; }
.method { display: inline-block; min-width: 4.5rem; color: #2563eb; text-transform: uppercase; }
.needed { color: #c2410c; }
nav a { margin-right: 1rem; }
`;

/** What a browser may load for the page: its own style, nothing else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

interface Field extends Json {
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  items?: Field;
  anyOf?: Field[];
  $ref?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Field>;
  required?: string[];
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Field;
}

/** The description of the interface as one HTML page that needs nothing from elsewhere. */
export function describeAsPage(document: Json): string {
  const { info, components, paths } = document as {
    info: { title: string; version: string };
    components: { schemas: Record<string, Field> };
    paths: Record<string, Record<string, Json>>;
  };
  const { schemas } = components;
  const tags = Object.entries(TAGS);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${html(info.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${html(info.title)} ${html(info.version)}</h1>
<p>Every request but those marked open carries an API key in the header <code>x-sup-api-key</code>.
The same as a document for programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav>${tags.map(([tag]) => `<a href="#${anchor(tag)}">${html(tag)}</a>`).join('')}<a href="#shapes">Shapes</a></nav>
${tags
  .map(
    ([tag, description]) => `<h2 id="${anchor(tag)}">${html(tag)}</h2><p>${html(description)}</p>
${OPERATIONS.filter((operation) => operation.tag === tag)
  .map((operation) => section(operation, paths[operation.path]?.[operation.method] ?? {}))
  .join('')}`,
  )
  .join('')}
<h2 id="shapes">Shapes</h2>
${Object.entries(schemas)
  .map(([name, schema]) => `<h3 id="${name}">${name}</h3>${shape(schema)}`)
  .join('')}
</body>
</html>
`;
}

function section(operation: Operation, described: Json): string {
  const { method, path, summary, description, open, body, errors } = operation;
  const parameters = (described.parameters ?? []) as Parameter[];
  const request = described.requestBody as
    | { content: Record<string, { schema: Field }> }
    | undefined;
  const responses = described.responses as Record<
    string,
    { content?: Record<string, { schema: Field }> }
  >;
  const { content = {} } = responses[operation.success.status] ?? {};
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    row(`${name} <small>(${place})</small>`, required, { description, ...schema } as Field),
  );
  const upload = body?.type === 'multipart/form-data';
  return `<h3 id="${operation.id}">${html(summary)}${open ? ' <small>(open)</small>' : ''}</h3>
<p><code><span class="method">${method}</span>${html(path)}</code></p>
${description ? `<p>${html(description)}</p>` : ''}
${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}
${Object.entries(request?.content ?? {})
  .map(
    ([type, { schema }]) =>
      `<p>Body: <code>${type}</code>, ${typeOf(schema)}</p>${upload ? shape(schema) : ''}`,
  )
  .join('')}
<table>
<tr><td>${operation.success.status}</td><td>${html(operation.success.description)}${Object.entries(
    content,
  )
    .map(([type, { schema }]) => `<br><code>${html(type)}</code> ${typeOf(schema)}`)
    .join('')}</td></tr>
${errors.map((status) => `<tr><td>${status}</td><td>${html(ERRORS[status]?.description ?? '')}</td></tr>`).join('')}
</table>
<pre>${html(example(operation))}</pre>`;
}

function shape({ description, properties = {}, required = [] }: Field): string {
  const rows = Object.entries(properties).map(([name, field]) =>
    row(name, required.includes(name), field),
  );
  return `${description ? `<p>${html(description)}</p>` : ''}<table>${rows.join('')}</table>`;
}

function row(name: string, required: boolean, field: Field): string {
  const { title, description, minimum, maximum, default: value, examples } = field;
  const facts = [
    typeOf(field),
    minimum !== undefined &&
      maximum !== undefined &&
      Math.abs(maximum) < 1e9 &&
      `${minimum} to ${maximum}`,
    value !== undefined && `default <code>${html(JSON.stringify(value))}</code>`,
    examples?.[0] !== undefined && `such as <code>${html(JSON.stringify(examples[0]))}</code>`,
  ].filter(Boolean);
  const text = [title && `<b>${html(title)}</b>`, description && html(description)];
  return `<tr><th><code>${name}</code>${required ? ' <span class="needed" title="required">*</span>' : ''}</th>
<td>${text.filter(Boolean).join(': ')}<br><small>${facts.join('; ')}</small></td></tr>`;
}

function typeOf(field: Field): string {
  const name = field.$ref?.split('/').at(-1);
  if (name) return `<a href="#${name}">${name}</a>`;
  if (field.anyOf) return field.anyOf.map(typeOf).join(' or ');
  if (field.items) return `array of ${typeOf(field.items)}`;
  if (field.enum) return `one of ${field.enum.map((value) => `<code>${value}</code>`).join(' ')}`;
  return html([field.type ?? 'bytes'].flat().join(' or '));
}

/** How to try an operation from a shell. */
function example({ method, path, open, body }: Operation): string {
  const lines = [`curl "$BASE_URL${path.replaceAll(/\{(\w+)\}/g, '$$$1')}"`];
  if (!open) lines.push('-H "x-sup-api-key: $API_KEY"');
  if (method === 'patch' || method === 'delete') lines.push(`-X ${method.toUpperCase()}`);
  if (body?.type === 'multipart/form-data') lines.push('-F files=@sample.wav', '-F name=Narrator');
  else if (body) {
    const json =
      body.schema === SpeechRequest
        ? { text: 'Hello, team!', language: 'en' }
        : { name: 'Narrator' };
    lines.push('-H "content-type: application/json"', `-d '${JSON.stringify(json)}'`);
  }
  return lines.join(' \\\n  ');
}

function anchor(text: string): string {
  return text.toLowerCase().replaceAll(' ', '-');
}

function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
