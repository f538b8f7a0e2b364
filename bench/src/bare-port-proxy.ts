/** A minimal proxy for GET: no checks, nothing filtered. `node bare-port-proxy.ts PORT TARGET_PORT` */
import { Agent, createServer, request } from 'node:http';

const [port, target] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

createServer((incoming, response) => {
  const headers = incoming.rawHeaders;
  const outgoing = request(
    { agent, host: '127.0.0.1', port: target, path: incoming.url, headers },
    (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.rawHeaders);
      upstream.pipe(response);
    },
  );
  outgoing.on('error', () => response.destroy()).end();
}).listen(Number(port), '127.0.0.1', () => console.log('listens'));
