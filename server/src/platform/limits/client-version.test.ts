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

test('compareVersions follows Semantic Versioning', () => {
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
])('"%s" is not a valid version', (text) => {
  expect(readVersion(text)).toBeUndefined();
});

const server = await startTestServer({ DRYDOCK_MIN_CLIENT_VERSION: '1.2.0' });
const ask = (version: string | undefined, who: string | undefined = server.owner.key, path = '/user') =>
  server.as(who).get(path, undefined, version === undefined ? {} : { 'x-client-version': version });

test.each(['1.2.0', '1.2.1-rc.1', '1.10.0', '2.0.0', '1.2.0+build', undefined])(
  '%s is accepted',
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

test('an unreadable version is refused with the expected form', async () => {
  expect(await ask('latest')).toMatchObject({
    status: 426,
    body: { type: 'upgrade_required_error', detail: expect.stringContaining('1.2.3-rc.1') },
  });
});

test('the version is checked after the credential and before the path, even for an unknown path', async () => {
  expect(await ask('1.0.0', 'nonsense')).toMatchObject({ status: 401 });
  expect(await ask('1.0.0', server.owner.key, '/org/nowhere')).toMatchObject({ status: 426 });
  expect(await ask('1.0.0', server.owner.key, '/nothing')).toMatchObject({ status: 426 });
});

test('public operations check the version too', async () => {
  const { status } = await server
    .as(undefined)
    .post('/auth/logout', { refresh_token: 'x' }, { 'x-client-version': '1.0.0' });
  expect(status).toBe(426);
});

test('every version is accepted when no minimum is configured', async () => {
  const lenient = await startTestServer();
  expect(
    await lenient.as(lenient.owner).get('/user', undefined, { 'x-client-version': 'latest' }),
  ).toMatchObject({ status: 200 });
});
