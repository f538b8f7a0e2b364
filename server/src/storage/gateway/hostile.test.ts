/** Odd requests that authentication and payload checks alone refuse, with the error code of S3. */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { chunked } from '../../../test/hostile-payloads.ts';
import { HOSTILE_REQUESTS } from '../../../test/hostile-requests.ts';
import { type HostileWorld, presigned, put } from '../../../test/hostile-world.ts';
import type { RawRequest } from '../../../test/s3-requests.ts';
import { createSigner } from '../../platform/auth/signing.ts';
import { Sessions } from '../../platform/object-storage/embedded/sessions.ts';
import { toSessionPolicy } from '../../platform/object-storage/session-policy.ts';
import { Authenticator } from './authentication/authenticate.ts';
import { readPayload } from './payload/payload.ts';
import { S3Error } from './s3-error.ts';

const BUCKET = 'drydock';
const region = 'us-east-1';
const account = { accessKeyId: 'AKIAACCOUNTOFATEST00', secretAccessKey: 'of an account' };
const sessions = new Sessions({ signer: createSigner('one'), region, accounts: [account] });
const foreign = new Sessions({ signer: createSigner('another'), region });
const policy = toSessionPolicy(BUCKET, { prefix: 'workspaces/1/', access: 'write' });

const world: HostileWorld = {
  host: 'localhost:9000',
  bucket: BUCKET,
  session: sessions.issue(policy, 3600),
  expiredSession: sessions.issue(policy, -1),
  otherSession: sessions.issue(policy, 3600),
  foreignToken: foreign.issue(policy, 3600).sessionToken,
  account,
  key: 'workspaces/1/a.txt',
};

const authenticator = new Authenticator({ sessions, bucket: BUCKET });

/** Splits the request into chunks of a few bytes, so that every line is torn somewhere. */
async function respond(request: RawRequest, pieceBytes: number): Promise<string> {
  try {
    const authenticated = authenticator.authenticate(request);
    const headers = Object.fromEntries(
      request.rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name.toLowerCase(), request.rawHeaders[index + 1] ?? '']] : [],
      ),
    );
    if (request.method !== 'PUT') return 'accepted';
    const body = Object.assign(Readable.from(toPieces(request.body, pieceBytes)), { headers });
    const payload = readPayload(body, authenticated, { maxBytes: 5 * 2 ** 30 });
    let length = 0;
    for await (const bytes of payload.body) length += bytes.length;
    return length === payload.decodedLength ? 'accepted' : 'of another length';
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

function* toPieces(body: Buffer, pieceBytes: number) {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

describe('requests that the odd ones are derived from are accepted', () => {
  test.each([
    ['a request', put(world)],
    ['a link', presigned(world)],
    ['chunks', chunked(world, { chunks: ['first', 'second'], isSigned: true })],
    [
      'a trailer',
      chunked(world, { chunks: ['hello'], isSigned: false, trailer: ['x-amz-checksum-crc32', 'NhCmhg=='] }),
    ],
    [
      'a signed trailer',
      chunked(world, { chunks: ['hello'], isSigned: true, trailer: ['x-amz-checksum-crc32', 'NhCmhg=='] }),
    ],
  ])('%s', async (_name, request) => {
    expect(await respond(request, 7)).toBe('accepted');
  });
});

test('odd requests are many and have unique names', () => {
  const names = HOSTILE_REQUESTS.map(([name]) => name);
  expect(names.length).toBeGreaterThan(120);
  expect(new Set(names).size).toBe(names.length);
});

describe.each([1, 7, 65_536])('requests split into chunks of %d bytes', (pieceBytes) => {
  test.each(HOSTILE_REQUESTS)('the request "%s" is refused with %s', async (_name, code, build) => {
    expect(await respond(build(world), pieceBytes)).toBe(code);
  });
});
