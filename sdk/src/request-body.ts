/** The body of a request: JSON, or bytes that are sent as they are. */

/** What an operation that takes a file is given. A stream can be read only once, so its call is never sent again. */
export type Bytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

const JSON_TYPE = 'application/json';

export interface RequestBody {
  readonly contentType?: string;
  /** What fetch is given for it. */
  readonly init: { readonly body: NonNullable<RequestInit['body']> | null; readonly duplex?: 'half' };
}

/** @param upload the type of the bytes, where the operation takes no JSON */
export function toRequestBody(body: unknown, upload: string | undefined): RequestBody {
  if (body === undefined) return { init: { body: null } };
  if (upload === undefined) return { contentType: JSON_TYPE, init: { body: JSON.stringify(body) } };
  const bytes = body as Bytes;
  // fetch sends the type that a Blob has only where there is none in the headers.
  return { contentType: upload, init: isStream(bytes) ? { body: bytes, duplex: 'half' } : { body: bytes } };
}

/** What its type is, the caller says. */
export function toPassedOnBody({ body }: { readonly body?: string | Bytes }): RequestBody {
  if (isStream(body)) return { init: { body, duplex: 'half' } };
  return { init: { body: body ?? null } };
}

export const isStream = (body: unknown): body is ReadableStream => body instanceof ReadableStream;

/** Anything else would be sent as its text. */
export function checkBytes(body: unknown): void {
  if (body instanceof Uint8Array || body instanceof Blob || isStream(body)) return;
  throw new TypeError('This operation takes bytes; give it a Uint8Array, a Blob or a ReadableStream.');
}
