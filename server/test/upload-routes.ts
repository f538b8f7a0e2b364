/** Operations that accept bytes in different ways, and a client that sends them as curl does. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { ApiError } from '../src/platform/errors.ts';
import { BYTES, orgRoutes } from '../src/platform/http/operations.ts';

const MEBIBYTE = 1024 * 1024;
export const MAX_BYTES = 64 * MEBIBYTE;

const upload = { contentTypes: { 'application/gzip': BYTES }, maxBytes: MAX_BYTES };
const access = { scope: 'datasets:write', role: 'member' } as const;
const Taken = z.object({ size: z.int(), sha256: z.string() });
const declare = (id: string) => ({ id, summary: 'Take bytes', ...access, upload, response: Taken });

/** @param onEnd receives how each upload ended: `end`, or an error */
export function uploadRoutes(onEnd: (ending: unknown) => void) {
  return orgRoutes('Test', (on) => {
    on.put('/bytes', declare('takeBytes'), async (call) => {
      const taken = await digestOf(call.upload).catch((error: unknown) => {
        onEnd(error);
        throw error;
      });
      onEnd('end');
      await call.stillAllowed();
      return taken;
    });
    on.post('/archive', declare('takeArchive'), async (call) => {
      try {
        for await (const _chunk of call.upload.pipe(createGunzip()));
      } catch {
        throw new ApiError('validation_error', 'This is not a readable archive.', {
          issues: [{ loc: ['body'], msg: 'must be gzip', type: 'invalid_value' }],
        });
      }
      return { size: 0, sha256: '' };
    });
    on.put('/unread', declare('takeNothing'), () => {
      throw new ApiError('conflict_error', 'It is there already.');
    });
    on.put('/first', declare('takeFirst'), async (call) => {
      const [chunk] = (await once(call.upload, 'data')) as [Buffer];
      return { size: Math.min(chunk.length, 1), sha256: '' };
    });
  });
}

async function digestOf(body: Readable): Promise<z.output<typeof Taken>> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

export interface Sending {
  readonly port: number;
  /** Path below /api/v1. */
  readonly path: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
}

/** Reads the response while it sends, and sends until there is one. */
export async function sendUntilResponse(
  { port, path, method = 'PUT', headers }: Sending,
  body: Readable,
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: unknown }> {
  const request = openRequest({ port, method, path: `/api/v1${path}`, headers });
  const failed = new Promise<never>((_resolve, reject) => {
    request.on('error', reject);
  });
  failed.catch(() => undefined); // may also fail after the response, when nothing waits for it
  request.flushHeaders();
  body.pipe(request);
  const [response] = (await Promise.race([once(request, 'response'), failed])) as [IncomingMessage];
  const result = await text(response);
  body.unpipe(request).destroy();
  request.destroy();
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(result) };
}

/** Produces data as fast as it is read. */
export function flood(bytes = Infinity): Readable {
  const piece = Buffer.alloc(64 * 1024, 'x');
  return Readable.from(
    (function* () {
      for (let left = bytes; left > 0; left -= piece.length)
        yield piece.subarray(0, Math.min(left, piece.length));
    })(),
  );
}
