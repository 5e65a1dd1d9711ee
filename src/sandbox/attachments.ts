import { createHash } from 'node:crypto';
import type { APIAttachment } from 'discord-api-types/v10';

/** A file as it came up, from the bot or from a person. */
export interface Upload {
  /** Name of the form's field, `files[0]`; empty for a person's file. */
  field: string;
  name: string;
  contentType: string;
  data: Buffer;
}

const CONTENT_TYPES: Record<string, string> = {
  json: 'application/json',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
  wav: 'audio/x-wav',
};

/** Bytes of all files that stay fetchable; the oldest go first. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;

/** Discord keeps ASCII letters, digits and `._-` of a name; what it cannot keep becomes the title. */
function storedName(name: string): string {
  const kept = name.replaceAll(/\s+/gu, '_').replaceAll(/[^\w.-]/gu, '');
  return /\w/u.test(kept.split('.')[0] ?? '') ? kept : `unknown${kept.replace(/^[^.]*/u, '')}`;
}

/** The files of all messages, each under an address from which it can be fetched. */
export class Attachments {
  readonly #nextId: () => string;
  readonly #applicationId: string;
  readonly #baseUrl: () => string;
  readonly #files = new Map<string, { data: Buffer; contentType: string }>();
  #storedBytes = 0;

  /** @param options.baseUrl - where the content delivery routes are served, without a slash at the end */
  constructor(options: {
    nextId: () => string;
    applicationId: string;
    baseUrl: () => string;
  }) {
    this.#nextId = options.nextId;
    this.#applicationId = options.applicationId;
    this.#baseUrl = options.baseUrl;
  }

  /** Keeps a file and describes it as a message does. */
  add(upload: Upload, place: { channelId: string } | 'ephemeral'): APIAttachment {
    const id = this.#nextId();
    const filename = storedName(upload.name);
    const extension = filename.split('.').at(-1)?.toLowerCase() ?? '';
    const declared = upload.contentType === 'application/octet-stream' ? '' : upload.contentType;
    // The name counts more than the part's type: discord.js declares Ogg as application/ogg.
    const contentType = CONTENT_TYPES[extension] || declared;
    const folder =
      place === 'ephemeral'
        ? `ephemeral-attachments/${this.#applicationId}`
        : `attachments/${place.channelId}`;
    const path = `/${folder}/${id}/${filename}`;
    this.#keep(id, { data: upload.data, contentType });

    const expires = Math.floor(Date.now() / 1000) + 86_400;
    const signature = createHash('sha256').update(path).digest('hex');
    const url = `${this.#baseUrl()}${path}?ex=${expires.toString(16)}&is=${(expires - 86_400).toString(16)}&hm=${signature}&`;
    return {
      id,
      filename,
      size: upload.data.length,
      url,
      proxy_url: url,
      ...(contentType && { content_type: contentType }),
      ...(filename !== upload.name && { title: upload.name.replace(/\.[^.]*$/u, '') }),
      ...(place === 'ephemeral' && { ephemeral: true }),
    };
  }

  /** A kept file by the id in its address. */
  get(id: string): { data: Buffer; contentType: string } | undefined {
    return this.#files.get(id);
  }

  #keep(id: string, file: { data: Buffer; contentType: string }): void {
    this.#files.set(id, file);
    this.#storedBytes += file.data.length;
    for (const [oldest, { data }] of this.#files) {
      if (this.#storedBytes <= MAX_STORED_BYTES || oldest === id) break;
      this.#files.delete(oldest);
      this.#storedBytes -= data.length;
    }
  }
}
