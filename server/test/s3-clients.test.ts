/** One suite of checks for four S3 clients as people have them, against a server process and its gateway. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeFolder } from './processes.ts';
import { awsSdk, openSdk } from './s3-clients/aws-sdk.ts';
import { awscli } from './s3-clients/awscli.ts';
import { startGatewayProcess } from './s3-clients/gateway-process.ts';
import { longKey, ODD_KEYS, ODD_NAMES } from './s3-clients/odd-keys.ts';
import { rclone } from './s3-clients/rclone.ts';
import { memoryGrowth } from './s3-clients/resident-memory.ts';
import type { S3ClientKind, S3TestClient } from './s3-clients/s3-test-client.ts';
import { s3cmd } from './s3-clients/s3cmd.ts';
import { hashOf, writeSample } from './s3-clients/sample-files.ts';

const LARGE_MEGABYTES = Number(process.env.DRYDOCK_TEST_S3_MB ?? 200);
/** Not a multiple of anything, so that the last part is an odd one. */
const LARGE_BYTES = LARGE_MEGABYTES * 1_000_000 + 4_321;
/** Far less than the object. */
const MAX_GROWTH_BYTES = 120e6;
const KEY_BYTES = 1_000;
/** More than one request takes. */
const MANY_TO_DELETE = 1_100;

/** Some of the programs take a second to start, of a processor that others may use too. */
vi.setConfig({ testTimeout: 300_000 });

const gateway = await startGatewayProcess();
const access = await gateway.getAccess();
const observer = openSdk(access);
const atKey = (key: string) => ({ Bucket: access.bucket, Key: key });
const samples = makeFolder();
const large = join(samples, 'large');
/** Ten thousand keys: 3,000 folders of two each, and 4,000 objects between them. */
const crowd = toCrowd(`${access.prefix}crowd/`);

beforeAll(async () => {
  await writeSample(large, LARGE_BYTES, 9);
  await gateway.makeObjects([...crowd.keys, ...crowd.nested]);
});

function toCrowd(prefix: string) {
  const names = Array.from({ length: 7_000 }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`);
  const folders = names.filter((_, index) => index % 7 < 3).map((name) => `${name}/`);
  return {
    prefix,
    folders,
    keys: names.filter((_, index) => index % 7 >= 3),
    nested: folders.flatMap((folder) => [`${folder}first`, `${folder}second & last`]),
  };
}

async function readObject(key: string): Promise<Buffer> {
  const { Body } = await observer.send(new GetObjectCommand(atKey(key)));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

const keysUnder = async (prefix: string) => (await awsSdk.open(access, '').listAll(prefix)).toSorted();
const failureOf = (attempt: Promise<unknown>) => attempt.then(() => 'no failure', String);

describe.each([awsSdk, awscli, s3cmd, rclone])('$title', (kind) => {
  const isMissing = kind.program === undefined;
  const name = isMissing ? `skipped: ${kind.title} is not installed here` : 'on the gateway';
  describe.skipIf(isMissing)(name, () => checkClient(kind));
});

function checkClient({ title, limits, open }: S3ClientKind): void {
  const own = `${access.prefix}${title}/`;
  const files = makeFolder();
  const openAs = (who: typeof access) => open(who, makeFolder());
  let client: S3TestClient;
  beforeAll(() => {
    client = openAs(access);
  });
  const file = (name: string) => join(files, name);

  test('what goes up comes down byte for byte, and replaces what was there', async () => {
    const key = `${own}replaced again and again`;
    for (const bytes of [5_000_011, 0, 1, 17]) {
      await writeSample(file('up'), bytes, bytes % 256);
      await client.put(file('up'), key);
      expect((await readObject(key)).equals(readFileSync(file('up')))).toBe(true);
      await client.get(key, file('down'));
      expect(await hashOf(file('down'))).toBe(await hashOf(file('up')));
    }
  });

  test(`${LARGE_MEGABYTES} MB go up in parts, are copied and come down, and the server does not hold them`, async () => {
    const [key, copy] = [`${own}large`, `${own}large, once more`];
    const growth = await memoryGrowth(gateway.server.pid, async () => {
      await client.put(large, key);
      await client.copy(key, copy);
      await client.get(copy, file('large'));
    });
    expect(await hashOf(file('large'))).toBe(await hashOf(large));
    const { ContentLength, ETag } = await observer.send(new HeadObjectCommand(atKey(key)));
    expect(ContentLength).toBe(LARGE_BYTES);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-\d+"$/);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    rmSync(file('large'));
    for (const done of [key, copy]) await observer.send(new DeleteObjectCommand(atKey(done)));
  });

  test('a folder of odd names goes up and comes down, each name byte for byte', async () => {
    const [up, down, prefix] = [file('odd'), file('odd-again'), `${own}odd/`];
    for (const name of ODD_NAMES) {
      mkdirSync(dirname(join(up, name)), { recursive: true });
      writeFileSync(join(up, name), `what lies under ${name}`);
    }
    mkdirSync(down);
    await client.putFolder(up, prefix);
    const keys = ODD_NAMES.map((name) => prefix + name).toSorted();
    expect(await keysUnder(prefix)).toEqual(keys);
    expect((await client.listAll(prefix)).toSorted()).toEqual(keys);
    await client.getFolder(prefix, down);
    const found = ODD_NAMES.map((name) => readFileSync(join(down, name), 'utf8'));
    expect(found).toEqual(ODD_NAMES.map((name) => `what lies under ${name}`));
  });

  const limitOf = (key: string) => limits.keys?.find(({ like }) => like.test(key))?.reason;
  const hardKeys = [...ODD_KEYS.map((name) => own + name), longKey(own, KEY_BYTES)];

  test('keys that no file could have are kept and listed', async () => {
    const keys = hardKeys.filter((key) => !limitOf(key));
    for (const key of keys) {
      writeFileSync(file('hard'), key);
      await client.put(file('hard'), key);
      expect((await readObject(key)).toString()).toBe(key);
      await client.get(key, file('hard-again'));
      expect(readFileSync(file('hard-again'), 'utf8')).toBe(key);
    }
    expect(await client.listAll(own)).toEqual(expect.arrayContaining(keys));
  });

  for (const key of hardKeys.filter(limitOf))
    test.skip(`the key ${JSON.stringify(key.slice(own.length))}, skipped: ${limitOf(key)}`, () => undefined);

  test('content type and metadata are kept, also by a copy', async () => {
    const facts = {
      contentType: 'text/x-sample',
      metadata: { colour: 'dark blue', 'serial-number': '0815' },
    };
    const [from, to] = [`${own}facts/a + b & c.txt`, `${own}facts/elsewhere/ä%20ö #2.txt`];
    writeFileSync(file('facts'), 'with facts');
    await client.put(file('facts'), from, facts);
    await client.copy(from, to);
    expect(await client.stat(to)).toMatchObject({ ...facts, sizeBytes: 10 });
    for (const key of [from, to]) {
      expect(await observer.send(new HeadObjectCommand(atKey(key)))).toMatchObject({
        ContentType: facts.contentType,
        Metadata: facts.metadata,
      });
    }
    await client.get(to, file('copy'));
    expect(readFileSync(file('copy'), 'utf8')).toBe('with facts');
  });

  test('of ten thousand keys exactly those directly below a prefix are listed', async () => {
    const { keys, folders } = await client.list(crowd.prefix);
    expect(keys.toSorted()).toEqual(crowd.keys);
    expect(folders.toSorted()).toEqual(crowd.folders);
  });

  test('ten thousand keys are listed, each once', async () => {
    const keys = await client.listAll(crowd.prefix);
    expect(keys).toHaveLength(10_000);
    expect(keys.toSorted()).toEqual([...crowd.keys, ...crowd.nested].toSorted());
  });

  test('one is deleted, and more than a thousand, and their neighbours stay', async () => {
    const many = Array.from({ length: MANY_TO_DELETE }, (_, index) => `${own}many/${index} & more`);
    const neighbours = [`${own}many`, `${own}many-more`];
    await gateway.makeObjects([`${own}many/one`, ...many, ...neighbours]);
    await client.delete(`${own}many/one`);
    expect(await keysUnder(`${own}many/`)).toEqual(many.toSorted());
    await client.deleteUnder(`${own}many/`);
    expect(await keysUnder(`${own}many`)).toEqual(neighbours);
  });

  const noPresign = limits.presignGet;
  test.skipIf(noPresign)(
    noPresign ? `a link is made, skipped: ${noPresign}` : 'a link is enough for anyone to read',
    async () => {
      const key = `${own}a link & more.txt`;
      await observer.send(new PutObjectCommand({ ...atKey(key), Body: 'for anyone' }));
      const link = await client.presignGet(key, 60);
      expect(await (await fetch(link)).text()).toBe('for anyone');
      const altered = await fetch(link.replace('more.txt', 'else.txt'));
      expect(altered.status).toBe(403);
      expect(await altered.text()).toContain('<Code>SignatureDoesNotMatch</Code>');
    },
  );

  describe('outside of the prefix', () => {
    const outside = `${access.prefix.slice(0, -2)}x/a.txt`;
    const folder = dirname(outside);
    beforeAll(() => writeSample(file('mine'), 100));

    test.each<[string, () => Promise<unknown>]>([
      ['put', () => client.put(file('mine'), outside)],
      ['list', () => client.list(`${folder}/`)],
      ['list of everything', () => client.listAll('')],
      ['delete', () => client.delete(outside)],
      ['delete of all', () => client.deleteUnder(`${folder}/`)],
    ])('%s is refused', async (_name, attempt) => {
      expect(await failureOf(attempt())).toContain('AccessDenied');
    });

    // Many clients begin with a HEAD, whose answer has no room for a code.
    test.each<[string, () => Promise<unknown>]>([
      ['get', () => client.get(outside, file('theirs'))],
      ['copy from there', () => client.copy(outside, `${own}stolen`)],
    ])('%s is refused', async (_name, attempt) => {
      expect(await failureOf(attempt())).toMatch(/AccessDenied|403/);
    });
  });

  test('a token that was altered is called invalid, and one of yesterday expired', async () => {
    const invalid = openAs({ ...access, sessionToken: access.sessionToken.replace(/.{8}$/, 'AAAAAAAA') });
    expect(await failureOf(invalid.listAll(own))).toContain('InvalidToken');
    expect(await failureOf(openAs(gateway.toExpired(access)).listAll(own))).toContain('ExpiredToken');
  });
}

test('the log of the server tells of no error', () => {
  expect(gateway.server.output().stderr).not.toMatch(/"level":[56]0/);
});
