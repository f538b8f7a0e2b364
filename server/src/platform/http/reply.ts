/** A response that is more than the JSON of its operation. Routes make it; stores and services return plain data. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** What a response sends. */
export type ReplyBody<Value> =
  /** The operation's own JSON, with status 200 instead of 201: what was to be created exists already. */
  | { readonly kind: 'existing'; readonly value: Value }
  /** The operation's own JSON, with headers of its own. */
  | { readonly kind: 'value'; readonly value: Value }
  | {
      readonly kind: 'bytes';
      readonly contentType: string;
      /** Text needs a content type with `charset=utf-8`. */
      readonly bytes: Buffer | string;
      /** Called when the response has left memory: sent, or its reader is gone or was cut off. */
      readonly onSent: (() => void) | undefined;
    }
  /**
   * Server-sent events that the handler of an `attended` operation makes itself, some whole events in each chunk. A failure before
   * the first chunk is an ordinary error; a later one becomes the last event. The chunks are always begun, and returned from
   * when their reader is gone.
   */
  | { readonly kind: 'events'; readonly chunks: AsyncIterable<Buffer> }
  /** A file, sent while it is read. Its stream is destroyed when its reader is gone; one that ends before `sizeBytes` is cut off. */
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly stream: Readable;
      readonly sizeBytes: number | undefined;
    }
  /** Written past the framework. A failure before `begin` is an ordinary error; a later one cuts the response off. */
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
