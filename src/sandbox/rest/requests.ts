/** One REST request of the bot, as it went over the wire. */
export interface RequestRecord {
  method: string;
  /** Path without `/api/v10` and query. */
  path: string;
  query: Record<string, unknown>;
  /** Parsed JSON, from the body or from its `payload_json`; undefined until it has come. */
  body: unknown;
  files: { field: string; name: string; size: number; contentType: string }[];
  /** `performance.now()` when the headers had come: a request with files is still coming in. */
  begunAt: number;
  /** `performance.now()` when the answer had gone out. */
  endedAt: number | undefined;
  status: number | undefined;
  /** What went wrong inside the sandbox when the status is 500. */
  fault: unknown;
}

const MAX_RECORDS = 10_000;

/** Remembers the last requests and tells of new ones. */
export class RequestLog {
  readonly records: RequestRecord[] = [];
  readonly #tell: (event: 'request' | 'response', record: RequestRecord) => void;

  /** @param tell - called with `request` when headers have come, `response` when the answer has gone out */
  constructor(tell: (event: 'request' | 'response', record: RequestRecord) => void) {
    this.#tell = tell;
  }

  begin(request: Pick<RequestRecord, 'method' | 'path' | 'query'>): RequestRecord {
    const record: RequestRecord = {
      ...request,
      body: undefined,
      files: [],
      begunAt: performance.now(),
      endedAt: undefined,
      status: undefined,
      fault: undefined,
    };
    this.records.push(record);
    if (this.records.length > MAX_RECORDS) this.records.shift();
    this.#tell('request', record);
    return record;
  }

  end(record: RequestRecord, status: number): void {
    record.status = status;
    record.endedAt = performance.now();
    this.#tell('response', record);
  }
}
