/** A minimal client that sends batches of spans, over one connection at a time. */
import { connect, type Socket } from 'node:net';
import { SpanBatch } from './span-batch.ts';

const HEAD_END = Buffer.from('\r\n\r\n');

export interface SpanResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

export interface SpanTarget {
  readonly origin: string;
  readonly apiKey: string;
}

/** Sends one batch at a time. */
export class SpanSender {
  readonly batch: SpanBatch;
  private readonly target: SpanTarget;
  private readonly head: Buffer;
  private socket: Socket | undefined;
  private received: Buffer = Buffer.alloc(0);
  private settle: ((response: SpanResponse | Error) => void) | undefined;

  constructor(target: SpanTarget, spans: number, instance: number) {
    this.target = target;
    this.batch = new SpanBatch(spans, instance);
    this.head = Buffer.from(
      `POST /api/v1/org/main/otel/traces HTTP/1.1\r\nHost: ${new URL(target.origin).host}\r\n` +
        `Authorization: Bearer ${target.apiKey}\r\nContent-Type: application/x-protobuf\r\n` +
        `Content-Length: ${this.batch.bytes.length}\r\n\r\n`,
    );
  }

  /** Sends the current content of the batch. Fails when the connection ends without a response. */
  send(): Promise<SpanResponse> {
    const socket = (this.socket ??= this.open());
    return new Promise((resolve, reject) => {
      this.settle = (response) => (response instanceof Error ? reject(response) : resolve(response));
      socket.write(this.head);
      socket.write(this.batch.bytes);
    });
  }

  close(): void {
    this.socket?.destroy();
  }

  private open(): Socket {
    const { hostname, port } = new URL(this.target.origin);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on('data', (chunk) => this.take(socket, chunk));
    socket.on('error', (error) => this.leave(socket, error));
    socket.on('close', () => this.leave(socket, new Error('the server has closed the connection')));
    return socket;
  }

  private take(socket: Socket, chunk: Buffer): void {
    if (socket !== this.socket) return;
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + HEAD_END.length + length;
    if (this.received.length < end) return;
    const body = this.received.subarray(headEnd + HEAD_END.length, end);
    this.received = this.received.subarray(end);
    // The unsent rest of a refused batch is dropped.
    if (/\r\nconnection: close/i.test(head) || socket.writableLength > 0) this.leave(socket);
    const retryAfter = /\r\nretry-after: (\S+)/i.exec(head)?.[1];
    this.end({ status: Number(head.slice(9, 12)), retryAfter, body });
  }

  /** The next batch uses another connection. */
  private leave(socket: Socket, error?: Error): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    this.received = Buffer.alloc(0);
    socket.destroy();
    if (error) this.end(error);
  }

  private end(response: SpanResponse | Error): void {
    const { settle } = this;
    this.settle = undefined;
    settle?.(response);
  }
}
