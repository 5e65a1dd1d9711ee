import type { FastifyRequest } from 'fastify';
import type { Upload } from '../attachments.ts';
import { refusal } from '../errors.ts';

/** JSON of a body, or of a form's `payload_json`. @throws ApiRefusal 50109 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(50109);
  }
}

/**
 * Reads a form with files (documentation, "Uploading Files"): the payload is the JSON of
 * `payload_json`, or else the form's plain fields; files stand in fields `files[n]`.
 */
export async function readForm(
  request: FastifyRequest,
): Promise<{ payload: unknown; uploads: Upload[] }> {
  const uploads: Upload[] = [];
  const fields: Record<string, unknown> = {};
  let payload: unknown;
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      uploads.push({
        field: part.fieldname,
        name: part.filename,
        contentType: part.mimetype,
        data: await part.toBuffer(),
      });
    } else if (part.fieldname === 'payload_json') {
      payload = parseJson(String(part.value));
    } else {
      fields[part.fieldname] = part.value;
    }
  }
  return { payload: payload ?? fields, uploads };
}
