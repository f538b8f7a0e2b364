/** Objects over keep-alive connections: large ones read and only counted, small ones written sequentially. */
import { Agent, request } from 'node:http';
import type { Load } from './load.ts';
import { cpuSeconds } from './process-usage.ts';
import { median, percentile } from './statistics.ts';

const CONNECTIONS = 4;

interface ReadTarget {
  readonly url: string;
  readonly pid: number;
  /** Expected size of every response. */
  readonly bytes: number;
}

/** The client is minimal: one with overhead of its own would slow all servers equally. */
export async function readLarge({ url, pid, bytes }: ReadTarget, seconds: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const cpuBefore = cpuSeconds([pid]);
  const started = performance.now();
  const latencies: number[] = [];
  const read = async () => {
    while (performance.now() - started < seconds * 1000) {
      const sent = performance.now();
      const received = await send(agent, 'GET', url);
      if (received !== bytes) throw new Error(`${url}: ${received} bytes instead of ${bytes}`);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, read));
  const elapsedSeconds = (performance.now() - started) / 1000;
  agent.destroy();
  return {
    perSecond: latencies.length / elapsedSeconds,
    p50Ms: median(latencies),
    p99Ms: percentile(latencies, 0.99),
    cpuMicroseconds: ((cpuSeconds([pid]) - cpuBefore) / latencies.length) * 1e6,
  };
}

/** @returns the average milliseconds of each write */
export async function writeOneByOne(urls: readonly string[], body: Buffer): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const started = performance.now();
  for (const url of urls) await send(agent, 'PUT', url, body);
  const milliseconds = (performance.now() - started) / urls.length;
  agent.destroy();
  return milliseconds;
}

/** @returns the number of bytes in the response */
function send(agent: Agent, method: 'GET' | 'PUT', url: string, body?: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body ? { 'content-length': body.length } : {};
    const sending = request(url, { agent, method, headers });
    sending.once('error', reject).once('response', (response) => {
      let bytes = 0;
      response
        .on('data', (chunk: Buffer) => (bytes += chunk.length))
        .once('error', reject)
        .once('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`${url} answered ${response.statusCode}`));
        });
    });
    sending.end(body);
  });
}
