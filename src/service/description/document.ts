import { z } from 'zod';
import { ErrorBody, errorBody } from '../../contract/errors.ts';
import { API_KEY_HEADER, INTERFACE_VERSION } from '../../contract/limits.ts';
import {
  ERRORS,
  HEADERS,
  type HeaderName,
  type Operation,
  PATH_PARAMETERS,
  TAGS,
} from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** A part of a JSON document. */
export type Json = { [name: string]: unknown };

/** The description of the interface, OpenAPI 3.1, made from the contract's schemas. */
export function describeInterface(): Json {
  const schemas: Json = {};
  const paths: { [path: string]: Json } = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] ?? {}, {
      [operation.method]: describe(operation, schemas),
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Voice synthesis service',
      version: INTERFACE_VERSION,
      description: 'Speech from text, voices, cloning, credits and usage.',
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: API_KEY_HEADER,
          description: 'The key of an account. It is shown once, when it is made.',
        },
      },
    },
  };
}

function describe(operation: Operation, schemas: Json): Json {
  const { id, tag, summary, description, open, body, success, errors } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(open && { security: [] }),
    parameters: [...pathParameters(operation.path), ...queryParameters(operation.query, schemas)],
    ...(body && {
      requestBody: {
        required: true,
        content: { [body.type]: { schema: schemaOf(body.schema, 'input', schemas) } },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.headers && { headers: headersOf(success.headers) }),
        ...(success.content && {
          content: Object.fromEntries(
            Object.entries(success.content).map(([type, { schema, title }]) => [
              type,
              {
                schema: schema
                  ? schemaOf(schema, 'output', schemas)
                  : { title, contentMediaType: type },
              },
            ]),
          ),
        }),
      },
      ...Object.fromEntries(errors.map((status) => [status, errorResponse(status, schemas)])),
    },
  };
}

function errorResponse(status: number, schemas: Json): Json {
  const { description, message } = ERRORS[status] ?? { description: '', message: '' };
  return {
    description,
    ...(status === 429 && { headers: headersOf(['Retry-After']) }),
    content: {
      'application/json': {
        schema: schemaOf(ErrorBody, 'output', schemas),
        example: errorBody(status, message),
      },
    },
  };
}

function headersOf(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name]]));
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS],
  }));
}

function queryParameters(query: z.ZodObject | undefined, schemas: Json): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, 'input', schemas) as {
    properties?: { [name: string]: Json };
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** A zod schema as JSON Schema; those with an id go into `schemas` and are referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...root
  } = referring(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }));
  Object.assign(schemas, $defs);
  return root;
}

function referring(schema: object): Json {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Json;
}
