/** Hostile requests over real connections: each is refused with the status and code of S3, changes nothing and reveals nothing. */
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { BUCKET, REGION, startTestGateway } from '../../../test/gateways.ts';
import { HOSTILE_OPERATIONS } from '../../../test/hostile-operations.ts';
import { HOSTILE_REQUESTS } from '../../../test/hostile-requests.ts';
import {
  deleteAll,
  HOSTILE_READERS,
  HOSTILE_TENANTS,
  OTHERS,
  OWN,
  pathOf,
  send,
  type TenantWorld,
} from '../../../test/hostile-tenants.ts';
import type { HostileWorld } from '../../../test/hostile-world.ts';
import { codeOf, type RawResponse, sendRaw } from '../../../test/raw-http.ts';
import type { RawRequest } from '../../../test/s3-requests.ts';
import { createSigner } from '../../platform/auth/signing.ts';
import { Sessions } from '../../platform/object-storage/embedded/sessions.ts';
import { toSessionPolicy } from '../../platform/object-storage/session-policy.ts';
import { type S3Code, STATUS_BY_CODE } from './s3-error.ts';

const gateway = await startTestGateway();
const { store, db, port, sessions } = gateway;
const host = `127.0.0.1:${port}`;
const SECRET = 'what nobody else may know';

const putObject = (key: string, content: string) =>
  store.putObject({ key, body: [Buffer.from(content)], headers: {}, metadata: { note: SECRET } });
async function beginUpload(key: string): Promise<string> {
  const upload = await store.uploads.create({ key, headers: {}, metadata: {} });
  await store.putPart(upload, 1, { body: [Buffer.from(SECRET)] });
  return upload.id;
}

await putObject(`${OWN}object`, 'content');
const uploads = new Map<string, string>();
for (const prefix of Object.values(OTHERS)) {
  await putObject(`${prefix}secret`, SECRET);
  uploads.set(prefix, await beginUpload(`${prefix}upload`));
}
const etagOfSecret = (await store.index.find(`${OTHERS['the server']}secret`))?.etag ?? '';

const tenant: TenantWorld = {
  host,
  bucket: BUCKET,
  writer: gateway.issue({ prefix: OWN, access: 'write' }),
  reader: gateway.issue({ prefix: OWN, access: 'read' }),
  own: OWN,
  ownUpload: await beginUpload(`${OWN}upload`),
  uploads,
};

const policy = toSessionPolicy(BUCKET, { prefix: OWN, access: 'write' });
const stranger: HostileWorld = {
  host,
  bucket: BUCKET,
  session: tenant.writer,
  expiredSession: sessions.issue(policy, -1),
  otherSession: sessions.issue(policy, 3_600),
  foreignToken: new Sessions({ signer: createSigner('another'), region: REGION }).issue(policy, 3_600)
    .sessionToken,
  account: gateway.root,
  key: `${OWN}object`,
};

/** Computes a hash of the whole store. */
async function fingerprint(): Promise<string | undefined> {
  const { rows } = await sql<{ hash: string }>`
    SELECT md5(string_agg(line, '\n' ORDER BY line)) AS hash FROM (
      SELECT o::text AS line FROM stored_objects AS o
      UNION ALL SELECT u::text FROM object_uploads AS u
      UNION ALL SELECT p::text FROM object_upload_parts AS p
      UNION ALL SELECT d::text FROM dropped_blobs AS d) AS everything`.execute(db);
  return rows[0]?.hash;
}

const before = await fingerprint();

function checkDisclosesNothing({ body, headers }: RawResponse): void {
  const sent = body + JSON.stringify(headers);
  expect(sent).not.toContain(SECRET);
  expect(sent).not.toContain(etagOfSecret);
  expect(body).not.toContain('at /');
  expect(headers['x-amz-meta-note']).toBeUndefined();
}

async function expectRefusal(request: RawRequest, code: S3Code): Promise<void> {
  const response = await sendRaw(port, request);
  expect([response.status, request.method === 'HEAD' ? code : codeOf(response)]).toEqual([
    STATUS_BY_CODE[code],
    code,
  ]);
  checkDisclosesNothing(response);
  expect(await fingerprint()).toBe(before);
}

test('hostile requests are many and have unique names', () => {
  for (const requests of [HOSTILE_REQUESTS, HOSTILE_TENANTS, HOSTILE_READERS, HOSTILE_OPERATIONS]) {
    const names = requests.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
  }
  expect(HOSTILE_TENANTS.length + HOSTILE_OPERATIONS.length + HOSTILE_READERS.length).toBeGreaterThan(200);
});

test('requests that the hostile ones are derived from are allowed', async () => {
  const allowed = [
    send(tenant, { method: 'GET', path: pathOf(tenant, `${OWN}object`) }),
    send(tenant, { method: 'GET', path: pathOf(tenant, `${OWN}object`) }, tenant.reader),
    send(
      tenant,
      { method: 'GET', path: '/drydock', query: `prefix=${encodeURIComponent(OWN)}` },
      tenant.reader,
    ),
    send(tenant, {
      method: 'GET',
      path: pathOf(tenant, `${OWN}upload`),
      query: `uploadId=${tenant.ownUpload}`,
    }),
    send(tenant, { method: 'GET', path: '/drydock', query: 'location' }),
  ];
  for (const request of allowed) expect((await sendRaw(port, request)).status).toBe(200);
});

describe('requests with a false identity or wrong content', () => {
  test.each(HOSTILE_REQUESTS)(
    'a forged or invalid request (%s) is refused with %s',
    async (_name, code, build) => {
      const request = build(stranger);
      const isSized = request.rawHeaders.includes('content-length');
      await expectRefusal(isSized ? request : { ...request, body: Buffer.alloc(0) }, code);
    },
  );
});

describe('requests for objects of other tenants', () => {
  test.each(HOSTILE_TENANTS)(
    'a request for objects of another tenant (%s) is refused with %s',
    (_name, code, build) => expectRefusal(build(tenant), code),
  );

  test('DeleteObjects for objects of others is refused key by key', async () => {
    const keys = Object.values(OTHERS).flatMap((prefix) => [
      `${prefix}secret`,
      `${prefix}upload`,
      `${prefix}absent`,
    ]);
    const { status, body } = await sendRaw(port, deleteAll(tenant, keys, tenant.writer));
    expect(status).toBe(200);
    expect(body.match(/<Code>AccessDenied<\/Code>/g)).toHaveLength(keys.length);
    expect(body).not.toContain('<Deleted>');
    expect(await fingerprint()).toBe(before);
  });
});

describe('writes with read-only credentials', () => {
  test.each(HOSTILE_READERS)(
    'a write with read-only credentials (%s) is refused with %s',
    (_name, code, build) => expectRefusal(build(tenant), code),
  );

  test('DeleteObjects with read-only credentials is refused', async () => {
    const response = await sendRaw(port, deleteAll(tenant, [`${OWN}object`], tenant.reader));
    expect([response.status, codeOf(response)]).toEqual([403, 'AccessDenied']);
    expect(await fingerprint()).toBe(before);
  });
});

describe('requests that are impossible', () => {
  test.each(HOSTILE_OPERATIONS)('an impossible request (%s) is refused with %s', (_name, code, build) =>
    expectRefusal(build(tenant), code),
  );
});

test('DeleteObjects deletes the allowed keys among others', async () => {
  await putObject(`${OWN}doomed`, 'x');
  const keys = [`${OWN}doomed`, `${OTHERS['another workspace']}secret`, `${OWN}../2/secret`];
  const { body } = await sendRaw(port, deleteAll(tenant, keys));
  expect(body).toContain(`<Deleted><Key>${OWN}doomed</Key></Deleted>`);
  expect(body.match(/<Code>\w+<\/Code>/g)).toEqual(['<Code>AccessDenied</Code>', '<Code>InvalidURI</Code>']);
  expect(await store.index.find(`${OWN}doomed`)).toBeUndefined();
  expect(await store.index.find(`${OTHERS['another workspace']}secret`)).toBeDefined();
});

afterAll(async () => {
  expect(await gateway.listUnowned()).toEqual([]);
});
