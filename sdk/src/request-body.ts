/** Body of a request: JSON, or bytes that are sent unchanged. */

/** Content for an operation that takes a file. A stream can only be read once, so its call is never retried. */
export type Bytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

const JSON_TYPE = 'application/json';

export interface RequestBody {
  readonly contentType?: string;
  /** Corresponding options of fetch. */
  readonly init: { readonly body: NonNullable<RequestInit['body']> | null; readonly duplex?: 'half' };
}

/** @param upload type of the bytes, for an operation without a JSON body */
export function toRequestBody(body: unknown, upload: string | undefined): RequestBody {
  if (body === undefined) return { init: { body: null } };
  if (upload === undefined) return { contentType: JSON_TYPE, init: { body: JSON.stringify(body) } };
  const bytes = body as Bytes;
  // fetch uses the type of a Blob only when the headers contain none.
  return { contentType: upload, init: isStream(bytes) ? { body: bytes, duplex: 'half' } : { body: bytes } };
}

/** The caller sets the content type. */
export function toPassedOnBody({ body }: { readonly body?: string | Bytes }): RequestBody {
  if (isStream(body)) return { init: { body, duplex: 'half' } };
  return { init: { body: body ?? null } };
}

export const isStream = (body: unknown): body is ReadableStream => body instanceof ReadableStream;

/** Refuses other values, which would be sent as their text. */
export function checkBytes(body: unknown): void {
  if (body instanceof Uint8Array || body instanceof Blob || isStream(body)) return;
  throw new TypeError('This operation takes bytes; give it a Uint8Array, a Blob or a ReadableStream.');
}
