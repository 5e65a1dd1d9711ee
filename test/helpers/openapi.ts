import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Discord's published description of its HTTP API v10; it stands beside the checkout, not in it. */
const DESCRIPTION = new URL('../../../shared/data/discord-openapi.json', import.meta.url);

export interface SentRequest {
  method: string;
  /** Path below the API's version, without the query. */
  path: string;
  /** JSON body, or `payload_json` of a multipart one. */
  body: unknown;
}

/**
 * Checks requests against Discord's own description: the path and method exist, and the body fits
 * the operation's schema. undefined where the description is not at hand.
 */
export function discordDescription(): ((request: SentRequest) => string[]) | undefined {
  if (!existsSync(DESCRIPTION)) return undefined;
  const description: Description = JSON.parse(readFileSync(DESCRIPTION, 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(description, 'discord');
  // A literal segment is a closer match than a parameter: "@original" before "{message_id}".
  const templates = Object.keys(description.paths)
    .map((template) => ({ template, parameters: template.split('{').length }))
    .sort((a, b) => a.parameters - b.parameters)
    .map(({ template }) => ({
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    }));
  const validators = new Map<string, ValidateFunction>();

  return ({ method, path, body }) => {
    const verb = method.toLowerCase();
    const found = templates.find(
      ({ template, pattern }) => pattern.test(path) && description.paths[template]?.[verb],
    );
    if (!found) return [`${method} ${path}: Discord has no such operation`];
    if (body === undefined) return [];
    const pointer = [
      'paths',
      found.template,
      verb,
      'requestBody',
      'content',
      'application/json',
      'schema',
    ]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    let validate = validators.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `discord#/${pointer}` });
      validators.set(pointer, validate);
    }
    return validate(body)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message }) => `${method} ${found.template} ${instancePath} ${message}`,
        );
  };
}

interface Description {
  paths: Record<string, Record<string, unknown>>;
}
