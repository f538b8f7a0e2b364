/** Sends HTTP byte by byte, for requests that no client would send. */
import { connect, type Socket } from 'node:net';
import type { RawRequest } from './s3-requests.ts';

export interface RawResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** Reads the next response; a response to HEAD has only a head. */
  readResponse(isHead?: boolean): Promise<RawResponse>;
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<void>;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ host: '127.0.0.1', port });
  let received = Buffer.alloc(0);
  let wake = () => {};
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      resolve();
      wake();
    });
  });
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    wake();
  });
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
  });
  const readResponse = async (isHead = false): Promise<RawResponse> => {
    for (;;) {
      const parsed = parseResponse(received, isHead);
      if (parsed) {
        received = received.subarray(parsed.length);
        return parsed;
      }
      if (socket.destroyed) throw new Error(`closed after ${JSON.stringify(received.toString())}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { socket, write: (bytes) => void socket.write(bytes), readResponse, closed };
}

function parseResponse(bytes: Buffer, isHead: boolean): (RawResponse & { length: number }) | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
  const length = end + 4 + (hasBody ? Number(headers['content-length']) : 0);
  if (bytes.length < length) return undefined;
  return { status, headers, body: bytes.subarray(end + 4, length).toString('latin1'), length };
}

export function toBytes(request: RawRequest): Buffer {
  const target = request.rawQuery === '' ? request.rawPath : `${request.rawPath}?${request.rawQuery}`;
  const headers = request.rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${request.rawHeaders[index + 1]}`] : [],
  );
  const head = [`${request.method} ${target} HTTP/1.1`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), request.body]);
}

/** Sends one request on a connection of its own. */
export async function sendRaw(port: number, request: RawRequest | string): Promise<RawResponse> {
  const connection = await openRaw(port);
  const isText = typeof request === 'string';
  connection.write(isText ? request : toBytes(request));
  try {
    return await connection.readResponse(isText ? request.startsWith('HEAD ') : request.method === 'HEAD');
  } finally {
    connection.socket.destroy();
  }
}

/** Returns the error code in an XML body. */
export const codeOf = ({ body }: Pick<RawResponse, 'body'>) => /<Code>(\w+)<\/Code>/.exec(body)?.[1];
