import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { compareVersions, readVersion } from './client-version.ts';

const ORDER = [
  '0.9.9',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
  '1.2.0-rc.1',
  '1.2.0',
  '1.10.0',
  '2.0.0',
];

const read = (text: string) => readVersion(text) ?? expect.fail(`${text} was not read`);

test('versions have the order of Semantic Versioning', () => {
  const shuffled = ORDER.toReversed().map(read);
  expect(shuffled.toSorted(compareVersions)).toEqual(ORDER.map(read));
  for (const version of ORDER) expect(compareVersions(read(version), read(`${version}+build.7`))).toBe(0);
});

test.each([
  '',
  '1',
  '1.2',
  'v1.2.3',
  '1.2.3.4',
  '1.2.3-',
  '1.2.x',
  ' 1.2.3',
  '1.2.3, 1.2.3',
  `${'9'.repeat(20)}.0.0`,
])('"%s" is no version', (text) => {
  expect(readVersion(text)).toBeUndefined();
});

const server = await startTestServer({ DRYDOCK_MIN_CLIENT_VERSION: '1.2.0' });
const ask = (version: string | undefined, who: string | undefined = server.owner.key, path = '/user') =>
  server.as(who).get(path, undefined, version === undefined ? {} : { 'x-client-version': version });

test.each(['1.2.0', '1.2.1-rc.1', '1.10.0', '2.0.0', '1.2.0+build', undefined])(
  '%s is let in',
  async (version) => {
    expect(await ask(version)).toMatchObject({ status: 200 });
  },
);

test.each(['1.1.9', '1.2.0-rc.1', '0.99.0'])('%s must be upgraded', async (version) => {
  expect(await ask(version)).toMatchObject({
    status: 426,
    body: { code: 426, type: 'upgrade_required_error', detail: expect.stringContaining('1.2.0') },
  });
});

test('a version that cannot be read is told which form is expected', async () => {
  expect(await ask('latest')).toMatchObject({
    status: 426,
    body: { type: 'upgrade_required_error', detail: expect.stringContaining('1.2.3-rc.1') },
  });
});

test('the version is looked at after the credential, before the place, also where nothing is', async () => {
  expect(await ask('1.0.0', 'nonsense')).toMatchObject({ status: 401 });
  expect(await ask('1.0.0', server.owner.key, '/org/nowhere')).toMatchObject({ status: 426 });
  expect(await ask('1.0.0', server.owner.key, '/nothing')).toMatchObject({ status: 426 });
});

test('public operations look at it too', async () => {
  const { status } = await server
    .as(undefined)
    .post('/auth/logout', { refresh_token: 'x' }, { 'x-client-version': '1.0.0' });
  expect(status).toBe(426);
});

test('without a minimum, whatever a client calls itself is let in', async () => {
  const lenient = await startTestServer();
  expect(
    await lenient.as(lenient.owner).get('/user', undefined, { 'x-client-version': 'latest' }),
  ).toMatchObject({ status: 200 });
});
