/** Plain, well-formed requests that prepare and repair the world that is fuzzed. */

export interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every operation, read where their shape is known
  readonly body: any;
}

export type Ask = (
  credential: string | undefined,
  method: string,
  path: string,
  body?: unknown,
) => Promise<Reply>;

const WAIT_TIMEOUT_MS = 20_000;

/** @param path below /api/v1 */
export const asker =
  (origin: URL): Ask =>
  async (credential, method, path, body) => {
    const response = await fetch(new URL(`/api/v1${path}`, origin), {
      method,
      headers: {
        ...(credential && { authorization: `Bearer ${credential}` }),
        ...(body !== undefined && {
          'content-type': body instanceof Uint8Array ? 'application/gzip' : 'application/json',
        }),
        // Sign-ups and logins are rate-limited by address.
        'x-forwarded-for': `192.0.2.${Math.floor(Math.random() * 256)}`,
      },
      ...(body !== undefined && {
        body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
      }),
      redirect: 'manual',
      signal: AbortSignal.timeout(WAIT_TIMEOUT_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };

export async function askFor(ask: Ask, status: number, ...request: Parameters<Ask>): ReturnType<Ask> {
  const reply = await ask(...request);
  if (reply.status === status) return reply;
  throw new Error(`${request[1]} ${request[2]} returned ${reply.status}: ${JSON.stringify(reply.body)}`);
}
