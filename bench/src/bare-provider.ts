/** A model provider with minimal overhead: its responses are prepared in advance. Runs in a child process. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ANSWER, CHUNKS } from './chat-samples.ts';
import { serve } from './serve.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const STREAM = Buffer.from('"stream":true');

const whole = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(ANSWER)}\r\n\r\n${ANSWER}`,
);
const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const framed = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const pieces = [...CHUNKS, '[DONE]'].map((chunk) => framed(`data: ${chunk}\n\n`));
const streamed = pieces.map((piece, index) =>
  Buffer.from(`${index === 0 ? head : ''}${piece}${index === pieces.length - 1 ? framed('') : ''}`),
);

/** Sends each event in a separate turn, as a model does. */
function stream(socket: Socket, index = 0): void {
  const piece = streamed[index];
  if (!piece || socket.destroyed) return;
  socket.write(piece);
  setImmediate(stream, socket, index + 1);
}

/** Handles one request at a time on each connection. */
function take(socket: Socket): void {
  let received: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    received = received.length === 0 ? piece : Buffer.concat([received, piece]);
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, headEnd))?.[1]);
    const end = headEnd + HEAD_END.length + length;
    if (received.length < end) return;
    const isStreamed = received.includes(STREAM, headEnd);
    received = received.subarray(end);
    if (isStreamed) stream(socket);
    else socket.write(whole);
  });
}

await serve(async () => {
  const server = createServer(take).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
