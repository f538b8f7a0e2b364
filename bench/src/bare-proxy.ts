/** A minimal proxy between client and provider: plain node:http, keep-alive on both sides, bytes forwarded unchanged. */
import { once } from 'node:events';
import { Agent, request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './serve.ts';

await serve(async () => {
  const { hostname: host, port } = new URL(process.env.BENCH_PROVIDER_ORIGIN ?? '');
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const asked = ask({ host, port, agent, method, path, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
