/** A response that is more than the JSON of its operation. Routes create it; stores and services return plain data. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Body of a response. */
export type ReplyBody<Value> =
  /** The operation's own JSON, with status 200 instead of 201, since the resource exists already. */
  | { readonly kind: 'existing'; readonly value: Value }
  /** The operation's own JSON, with additional headers. */
  | { readonly kind: 'value'; readonly value: Value }
  | {
      readonly kind: 'bytes';
      readonly contentType: string;
      /** Text needs a content type with `charset=utf-8`. */
      readonly bytes: Buffer | string;
      /** Called when the response was sent, or its reader disconnected or was cut off. */
      readonly onSent: (() => void) | undefined;
    }
  /**
   * Server-sent events produced by the handler of a `watched` operation, some whole events in each chunk. An error before the first chunk
   * is an ordinary error; a later one becomes the last event. The iterator is always started, and closed when its reader has disconnected.
   */
  | { readonly kind: 'events'; readonly chunks: AsyncIterable<Buffer> }
  /**
   * A file, streamed while it is read. Its stream is destroyed when its reader disconnects; a file that ends before `sizeBytes` is cut off.
   */
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly stream: Readable;
      readonly sizeBytes: number | undefined;
    }
  /** Written without the framework. An error before `begin` is an ordinary error; a later one cuts the response off. */
  | { readonly kind: 'raw'; readonly send: (begin: () => ServerResponse) => Promise<void> };

type Headers = Readonly<Record<string, string>>;

export class Reply<Value = never> {
  readonly body: ReplyBody<Value>;
  readonly headers: Headers;

  private constructor(body: ReplyBody<Value>, headers: Headers = {}) {
    this.body = body;
    this.headers = headers;
  }

  static existing<Value>(value: Value): Reply<Value> {
    return new Reply<Value>({ kind: 'existing', value });
  }

  static withHeaders<Value>(value: Value, headers: Headers): Reply<Value> {
    return new Reply<Value>({ kind: 'value', value }, headers);
  }

  static bytes(contentType: string, bytes: Buffer | string, headers?: Headers, onSent?: () => void): Reply {
    return new Reply({ kind: 'bytes', contentType, bytes, onSent }, headers);
  }

  static events(chunks: AsyncIterable<Buffer>, headers?: Headers): Reply {
    return new Reply({ kind: 'events', chunks }, headers);
  }

  static file(file: {
    readonly name: string;
    readonly stream: Readable;
    readonly sizeBytes?: number | undefined;
    readonly headers?: Headers;
  }): Reply {
    const { name, stream, sizeBytes, headers } = file;
    return new Reply({ kind: 'file', name, stream, sizeBytes }, headers);
  }

  static raw(send: (begin: () => ServerResponse) => Promise<void>): Reply {
    return new Reply({ kind: 'raw', send });
  }
}
