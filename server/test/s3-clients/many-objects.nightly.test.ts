/** Ten thousand objects, put over HTTP once, and listed and deleted by every client. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../processes.ts';
import { awsSdk } from './aws-sdk.ts';
import { awscli } from './awscli.ts';
import { keysUnder } from './client-bench.ts';
import { putEmpty } from './empty-objects.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { rclone } from './rclone.ts';
import { s3cmd } from './s3cmd.ts';

/** More than the limit of one request. */
const MANY_TO_DELETE = 1_100;

/** Some programs take a second to start on a busy processor. */
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const { access } = await startGatewayProcess();
const crowd = toCrowd(`${access.prefix}crowd/`);

/** Ten thousand keys: 3,000 folders of two each, and 4,000 objects between them. */
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

beforeAll(() => putEmpty(access, [...crowd.keys, ...crowd.nested]));

describe.each([awsSdk, awscli, s3cmd, rclone])('$title', ({ title, program, open }) => {
  const isMissing = program === undefined;
  describe.skipIf(isMissing)(isMissing ? 'skipped: it is not installed here' : 'on the gateway', () => {
    const client = isMissing ? undefined : open(access, makeFolder());

    test('a list of ten thousand keys returns exactly those directly below a prefix', async () => {
      const listed = await client?.list(crowd.prefix);
      expect(listed?.keys.toSorted()).toEqual(crowd.keys);
      expect(listed?.folders.toSorted()).toEqual(crowd.folders);
    });

    test('ten thousand keys are listed once each', async () => {
      const keys = await client?.listAll(crowd.prefix);
      expect(keys).toHaveLength(10_000);
      expect(keys?.toSorted()).toEqual([...crowd.keys, ...crowd.nested].toSorted());
    });

    test('one key and more than a thousand keys are deleted, and their neighbours stay', async () => {
      const own = `${access.prefix}${title}/`;
      const many = Array.from({ length: MANY_TO_DELETE }, (_, index) => `${own}many/${index} & more`);
      const neighbours = [`${own}many`, `${own}many-more`];
      await putEmpty(access, [`${own}many/one`, ...many, ...neighbours]);
      await client?.delete(`${own}many/one`);
      expect(await keysUnder(access, `${own}many/`)).toEqual(many.toSorted());
      await client?.deleteUnder(`${own}many/`);
      expect(await keysUnder(access, `${own}many`)).toEqual(neighbours);
    });
  });
});
