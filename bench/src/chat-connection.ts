/** A minimal client connection for repeated model calls: a client with overhead of its own would slow all servers equally. */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const EVENT = Buffer.from('data: ');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export interface ChatAddress {
  readonly url: string;
  readonly apiKey: string;
}

/** Times in milliseconds since the request was sent. */
export interface Received {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly body: Buffer;
}

interface Waiting {
  readonly sentAt: number;
  readonly resolve: (received: Received) => void;
  readonly reject: (error: Error) => void;
}

/** Sends one request at a time. */
export class ChatConnection {
  private readonly head: string;
  private readonly socket: Socket;
  private pieces: Buffer[] = [];
  private firstMs: number | undefined;
  /** Length of the response including its head; undefined if it is chunked. */
  private length: number | undefined;
  private waiting: Waiting | undefined;

  constructor({ url, apiKey }: ChatAddress) {
    const { hostname, port, host, pathname } = new URL(url);
    this.head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`;
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('data', (piece) => this.take(piece));
    this.socket.once('error', (error) => this.fail(error));
    this.socket.once('close', () => this.fail(new Error('the connection was closed')));
  }

  /** @param headers additional ones, each ended by CRLF */
  ask(body: string, headers = ''): Promise<Received> {
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    this.waiting = { sentAt: performance.now(), resolve, reject };
    this.socket.write(`${this.head}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return promise;
  }

  close(): void {
    this.socket.destroy();
  }

  private take(piece: Buffer): void {
    const { waiting } = this;
    if (!waiting) return;
    if (this.firstMs === undefined && (piece.includes(EVENT) || this.pieces.length > 0))
      this.firstMs = performance.now() - waiting.sentAt;
    this.pieces.push(piece);
    if (!this.isWhole(piece)) return;
    const wholeMs = performance.now() - waiting.sentAt;
    const response = Buffer.concat(this.pieces);
    const received = { firstMs: this.firstMs ?? wholeMs, wholeMs, body: bodyOf(response) };
    this.pieces = [];
    this.firstMs = undefined;
    this.waiting = undefined;
    if (response.toString('latin1', 0, 12) === 'HTTP/1.1 200') waiting.resolve(received);
    else waiting.reject(new Error(response.toString()));
  }

  /** The head of a response arrives in one chunk from all servers used here. */
  private isWhole(last: Buffer): boolean {
    const [first = last] = this.pieces;
    if (first === last) this.length = lengthOf(first);
    if (this.length === undefined) return last.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
    return this.pieces.reduce((sum, { length }) => sum + length, 0) >= this.length;
  }

  private fail(error: Error): void {
    this.waiting?.reject(error);
    this.waiting = undefined;
  }
}

function lengthOf(first: Buffer): number | undefined {
  const bodyStart = first.indexOf(HEAD_END) + HEAD_END.length;
  const length = /\r\ncontent-length: (\d+)/i.exec(first.toString('latin1', 0, bodyStart))?.[1];
  return length === undefined ? undefined : bodyStart + Number(length);
}

const bodyOf = (response: Buffer) => response.subarray(response.indexOf(HEAD_END) + HEAD_END.length);
