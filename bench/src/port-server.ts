/** The listening program, the same in a sandbox and beside it. `node port-server.ts PORT`; needs nothing of this repository. */
import { createServer, type ServerResponse } from 'node:http';

const PART = Buffer.alloc(256 * 1024, 'x');
const SMALL = Buffer.from(JSON.stringify({ text: 'x'.repeat(200) }));

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const bytes = Number(/\?bytes=(\d+)$/.exec(request.url ?? '')?.[1] ?? 0);
  if (bytes > 0) void sendLarge(response, bytes);
  else
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': SMALL.length })
      .end(SMALL);
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listens'));

async function sendLarge(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-length': bytes });
  for (let left = bytes; left > 0; left -= PART.length) {
    const isTaken = response.write(left < PART.length ? PART.subarray(0, left) : PART);
    if (!isTaken) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}
