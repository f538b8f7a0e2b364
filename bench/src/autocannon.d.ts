/** The part of autocannon that is used here. */
declare module 'autocannon' {
  interface Options {
    url: string;
    headers: Record<string, string>;
    connections: number;
    /** In seconds. */
    duration: number;
    /** What is sent in place of a GET. */
    requests?: (Request | { method: 'GET'; path: string })[];
  }
  export interface Request {
    method: 'POST';
    body?: string;
    setupRequest: (request: Request) => Request;
  }
  interface Result {
    /** In seconds. */
    duration: number;
    errors: number;
    timeouts: number;
    non2xx: number;
    '2xx': number;
    requests: { total: number };
    /** In milliseconds. */
    latency: { p50: number; p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
