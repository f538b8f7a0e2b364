/** Tests every S3 client, as users have them, against a server process and its gateway. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test, vi } from 'vitest';
import { longKey, ODD_NAMES, UNFILED_KEYS } from '../odd-keys.ts';
import { openS3 } from '../workspace-storage.ts';
import { type ClientBench, keysUnder, openBench } from './client-bench.ts';
import type { S3ClientKind } from './s3-test-client.ts';
import { hashOf, writeSample } from './sample-files.ts';

const LARGE_MEGABYTES = Number(process.env.DRYDOCK_TEST_S3_MB ?? 200);
/** Not a multiple of a part size, so that the last part is shorter. */
const LARGE_BYTES = LARGE_MEGABYTES * 1_000_000 + 4_321;
/** Less than the smallest object, and less than the concurrent parts of any client. */
const MAX_HELD_MIB = 10;
const KEY_BYTES = 1_000;

export async function describeClient(kind: S3ClientKind): Promise<void> {
  // Some programs take a second to start on a busy processor.
  vi.setConfig({ testTimeout: 300_000 });
  const { title, program } = kind;
  if (program === undefined) {
    describe.skip(title, () => test(`skipped: ${title} is not installed here`, () => undefined));
    return;
  }
  const bench = await openBench(kind);
  describe(title, () => {
    describeContents(bench);
    describeKeys(bench);
    describeLinks(bench);
    describeRefusals(bench);

    test('the log of the server contains no error', () => {
      expect(bench.server.output().stderr).not.toMatch(/"level":[56]0/);
    });
  });
}

function describeContents({ client, own, observer, file, at, read, watchMemory }: ClientBench): void {
  test('an upload replaces the existing object and downloads byte for byte', async () => {
    const key = `${own}replaced`;
    for (const bytes of [5_000_011, 17]) {
      await writeSample(file('up'), bytes, bytes % 256);
      await client.put(file('up'), key);
      expect((await read(key)).equals(readFileSync(file('up')))).toBe(true);
      await client.get(key, file('down'));
      expect(await hashOf(file('down'))).toBe(await hashOf(file('up')));
    }
  });

  test(`${LARGE_MEGABYTES} MB are uploaded in parts, copied and downloaded without being buffered by the server`, async () => {
    const [key, copy] = [`${own}large`, `${own}large, once more`];
    await writeSample(file('large'), LARGE_BYTES, 9);
    const heldMib = await watchMemory(async () => {
      await client.put(file('large'), key);
      await client.copy(key, copy);
      await client.get(copy, file('large-again'));
    });
    expect(await hashOf(file('large-again'))).toBe(await hashOf(file('large')));
    const { ContentLength, ETag } = await observer.send(new HeadObjectCommand(at(key)));
    expect(ContentLength).toBe(LARGE_BYTES);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-\d+"$/);
    expect(heldMib).toBeGreaterThan(0);
    expect(heldMib).toBeLessThan(MAX_HELD_MIB);
    for (const name of ['large', 'large-again']) rmSync(file(name));
    for (const done of [key, copy]) await observer.send(new DeleteObjectCommand(at(done)));
  });

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
      expect(await observer.send(new HeadObjectCommand(at(key)))).toMatchObject({
        ContentType: facts.contentType,
        Metadata: facts.metadata,
      });
      expect((await read(key)).toString()).toBe('with facts');
    }
  });
}

function describeKeys({ kind, client, access, own, file, read }: ClientBench): void {
  const prefix = `${own}odd/`;
  const limitOf = (key: string) => kind.limits.keys?.find(({ like }) => like.test(key))?.reason;
  const unfiled = UNFILED_KEYS.map((name) => prefix + name);
  const usable = unfiled.filter((key) => !limitOf(key));
  for (const key of unfiled.filter(limitOf))
    test.skip(`the key ${JSON.stringify(key.slice(prefix.length))}, skipped: ${limitOf(key)}`, () =>
      undefined);

  test('odd keys are uploaded as a folder or one by one, listed and downloaded byte for byte', async () => {
    const contents = new Map<string, string>(ODD_NAMES.map((name) => [name, `what lies under ${name}`]));
    contents.set(longKey(prefix, KEY_BYTES).slice(prefix.length), 'far down');
    contents.set('empty', '').set('one byte', 'x');
    const [up, down] = [file('odd'), file('odd-again')];
    for (const [name, content] of contents) {
      mkdirSync(dirname(join(up, name)), { recursive: true });
      writeFileSync(join(up, name), content);
    }
    mkdirSync(down);
    await client.putFolder(up, prefix);
    const keys = [...contents.keys()].map((name) => prefix + name);
    expect(await keysUnder(access, prefix)).toEqual(keys.toSorted());
    await client.getFolder(prefix, down);
    const found = [...contents.keys()].map((name) => [name, readFileSync(join(down, name), 'utf8')]);
    expect(found).toEqual([...contents]);

    for (const key of usable) {
      writeFileSync(file('up'), key);
      await client.put(file('up'), key);
      expect((await read(key)).toString()).toBe(key);
      await client.get(key, file('down'));
      expect(readFileSync(file('down'), 'utf8')).toBe(key);
    }
    expect((await client.listAll(prefix)).toSorted()).toEqual([...keys, ...usable].toSorted());
  });
}

function describeLinks({ kind, client, own, observer, at }: ClientBench): void {
  const limit = kind.limits.presignGet;
  const name = limit ? `a link is made, skipped: ${limit}` : 'a link is enough for anyone to read';
  test.skipIf(limit)(name, async () => {
    const key = `${own}a link & more.txt`;
    await observer.send(new PutObjectCommand({ ...at(key), Body: 'for anyone' }));
    const link = await client.presignGet(key, 60);
    expect(await (await fetch(link)).text()).toBe('for anyone');
    const altered = await fetch(link.replace('more.txt', 'else.txt'));
    expect(altered.status).toBe(403);
    expect(await altered.text()).toContain('<Code>SignatureDoesNotMatch</Code>');
  });
}

function describeRefusals({ kind, client, access, own, expired, accessTo, openAs, file }: ClientBench): void {
  const failureOf = (attempt: Promise<unknown>) => attempt.then(() => 'no failure', String);

  test('every operation outside the prefix is refused and changes nothing', async () => {
    const theirs = accessTo(`${access.prefix.slice(0, -2)}x/`);
    const [kept, none] = [`${theirs.prefix}kept.txt`, `${theirs.prefix}none.txt`];
    const owner = openS3(theirs);
    await owner.send(new PutObjectCommand({ Bucket: access.bucket, Key: kept, Body: 'theirs' }));
    await writeSample(file('mine'), 100);
    const attempts = {
      put: client.put(file('mine'), none),
      replace: client.put(file('mine'), kept),
      list: client.list(theirs.prefix),
      listEverything: client.listAll(''),
      delete: client.delete(kept),
      deleteUnder: client.deleteUnder(theirs.prefix),
      ...(!kind.limits.deleteKeys && { deleteKeys: client.deleteKeys([kept, none]) }),
      get: client.get(kept, file('theirs')),
      copyFrom: client.copy(kept, `${own}stolen`),
    };
    const denied = expect.stringContaining('AccessDenied');
    // Many clients begin with a HEAD, whose response cannot contain a code.
    const refused = expect.stringMatching(/AccessDenied|403/);
    const names = Object.keys(attempts) as (keyof typeof attempts)[];
    const failures = await Promise.all(
      names.map(async (name) => [name, await failureOf(attempts[name] as Promise<unknown>)]),
    );
    expect(failures).toEqual(
      names.map((name) => [name, name === 'get' || name === 'copyFrom' ? refused : denied]),
    );
    expect(await keysUnder(theirs, theirs.prefix)).toEqual([kept]);
    const { Body } = await owner.send(new GetObjectCommand({ Bucket: access.bucket, Key: kept }));
    expect(await Body?.transformToString()).toBe('theirs');
    expect(await keysUnder(access, `${own}stolen`)).toEqual([]);
    expect(existsSync(file('theirs'))).toBe(false);
    owner.destroy();
  });

  test('a modified token is reported as invalid, and an old one as expired', async () => {
    const invalid = openAs({ ...access, sessionToken: access.sessionToken.replace(/.{8}$/, 'AAAAAAAA') });
    const failures = [invalid, openAs(expired)].map((refused) => failureOf(refused.listAll(own)));
    expect(await Promise.all(failures)).toEqual([
      expect.stringContaining('InvalidToken'),
      expect.stringContaining('ExpiredToken'),
    ]);
  });
}
