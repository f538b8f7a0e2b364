/** A minimal keep-alive connection to a server: a client with overhead of its own would slow all servers equally. */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

interface Waiting {
  readonly line: string;
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** Sends one request at a time. Any response other than a success fails. */
export class PlainConnection {
  private readonly socket: Socket;
  private readonly headers: string;
  private received: Buffer = Buffer.alloc(0);
  private waiting: Waiting | undefined;

  constructor(origin: string, apiKey: string) {
    const { hostname, port, host } = new URL(origin);
    this.headers = `Host: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n`;
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.once('error', (error) => this.fail(error));
    this.socket.once('close', () => this.fail(new Error('the server has closed the connection')));
  }

  /** @param path below the workspace `main` of the organization `main` */
  send(method: 'GET' | 'POST', path: string, body?: string): Promise<Buffer> {
    const line = `${method} /api/v1/org/main/ws/main${path}`;
    const content = body === undefined ? '' : framed(body);
    this.socket.write(`${line} HTTP/1.1\r\n${this.headers}${content || '\r\n'}`);
    return new Promise((resolve, reject) => {
      this.waiting = { line, resolve, reject };
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (Number.isNaN(length)) return this.fail(new Error(`an answer without a length: ${head}`));
    const end = headEnd + HEAD_END.length + length;
    if (this.received.length < end) return;
    const body = this.received.subarray(headEnd + HEAD_END.length, end);
    this.received = this.received.subarray(end);
    const { waiting } = this;
    this.waiting = undefined;
    if (head.startsWith('HTTP/1.1 2')) waiting?.resolve(body);
    else waiting?.reject(new Error(`${waiting.line}: ${head.slice(0, 12)} ${body.toString()}`));
  }

  private fail(error: Error): void {
    this.waiting?.reject(error);
    this.waiting = undefined;
  }
}

const framed = (body: string) =>
  `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
