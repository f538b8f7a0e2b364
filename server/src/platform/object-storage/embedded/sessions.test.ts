import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSigner } from '../../auth/signing.ts';
import { toSessionPolicy } from '../session-policy.ts';
import { Sessions } from './sessions.ts';

const region = 'us-east-1';
const PREFIX = 'orgs/01980000-1111-7222-8333-444444444444/workspaces/01980000-5555-7666-8777-888888888888/';
const policy = toSessionPolicy('drydock', { prefix: PREFIX, access: 'write' });
const open = (...keys: [string, string?]) => new Sessions({ signer: createSigner(...keys), region });
const sessions = open('one');
const session = sessions.issue(policy, 3600);

afterEach(() => {
  vi.useRealTimers();
});

test('a session is found by its key and token, with its secret and policy', () => {
  expect(sessions.find(session.accessKeyId, session.sessionToken)).toEqual({
    accessKeyId: session.accessKeyId,
    secretAccessKey: session.secretAccessKey,
    policy,
  });
});

test('a session is found by any process, even after a change of the secret key', () => {
  for (const other of [open('one'), open('two', 'one'), open('one', 'two')])
    expect(other.find(session.accessKeyId, session.sessionToken)).toMatchObject({
      secretAccessKey: session.secretAccessKey,
    });
  expect(open('two').find(session.accessKeyId, session.sessionToken)).toBe('invalid');
});

test('a token in the first format is still accepted', () => {
  const token =
    'eyJrIjoiRFJZVE81SlNUS0lCTjdSVFNJTE0iLCJlIjo4MTAxOTU3NDE3LCJwIjoiZVBsaHh5TkdHM2JSYVdCb2FRSE' +
    '9JWWFHaG9hNjVrWkdScm9XeHNiR3VpWklBRG1JNGVwTlRVMU5kYzNOek14MExjek56WFV0a01EZ3lQLTA4aGhORXhn' +
    'QWY1SzVnZyJ9.UftYsFpEheugS0qO0iNf6fT9Ca-SSuoeLJI5aPebyGM';
  expect(sessions.find('DRYTO5JSTKIBN7RTSILM', token)).toMatchObject({ policy });
});

test('the key of a session has the usual form, and its token is short', () => {
  expect(session.accessKeyId).toMatch(/^DRYT[A-Z2-7]{16}$/);
  expect(session.secretAccessKey).toMatch(/^[\w-]{43}$/);
  expect(session.sessionToken.length).toBeLessThan(300);
  expect(session.sessionToken).toMatch(/^[\w.-]+$/);
});

test('no two sessions have the same key or secret', () => {
  const all = Array.from({ length: 100 }, () => sessions.issue(policy, 3600));
  expect(new Set(all.map(({ accessKeyId }) => accessKeyId)).size).toBe(100);
  expect(new Set(all.map(({ secretAccessKey }) => secretAccessKey)).size).toBe(100);
});

test('a session expires', () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const short = sessions.issue(policy, 60);
  expect(short.expiresAt).toEqual(new Date(1_800_000_060_000));
  vi.setSystemTime(1_800_000_059_999);
  expect(sessions.find(short.accessKeyId, short.sessionToken)).toMatchObject({ policy });
  vi.setSystemTime(1_800_000_060_000);
  expect(sessions.find(short.accessKeyId, short.sessionToken)).toBe('expired');
});

test('the policy of a session is always the same object, so that it is compiled once', () => {
  const find = () => sessions.find(session.accessKeyId, session.sessionToken) as { policy: object };
  expect(find().policy).toBe(find().policy);
});

test('a session that was evicted from the cache is decoded again', () => {
  for (let count = 0; count < 1100; count += 1) {
    const other = sessions.issue(policy, 60);
    sessions.find(other.accessKeyId, other.sessionToken);
  }
  expect(sessions.find(session.accessKeyId, session.sessionToken)).toMatchObject({ policy });
});

describe('sessions that are refused', () => {
  const signer = createSigner('one');
  const other = sessions.issue(policy, 3600);
  const statement = { k: session.accessKeyId, e: 9_999_999_999, p: 'AAAA' };
  test.each([
    ['a session without its token', session.accessKeyId, undefined, undefined],
    ['an unknown key', 'AKIAIOSFODNN7EXAMPLE', undefined, undefined],
    ['an unknown key with a good token', 'AKIAIOSFODNN7EXAMPLE', session.sessionToken, 'invalid'],
    ["another session's token", session.accessKeyId, other.sessionToken, 'invalid'],
    ['a token for something else', session.accessKeyId, signer.sign('access-token', statement), 'invalid'],
    [
      'a policy that does not unpack',
      session.accessKeyId,
      signer.sign('storage-session', statement),
      'invalid',
    ],
    ['a token that is too long', session.accessKeyId, 'A'.repeat(5000), 'invalid'],
    ['no token', session.accessKeyId, '', 'invalid'],
    ["the server's own key with a token", sessions.own.accessKeyId, session.sessionToken, 'invalid'],
  ])('%s', (_name, accessKeyId, token, expected) => {
    expect(sessions.find(accessKeyId, token)).toBe(expected);
  });
});

describe("the server's own key", () => {
  test("the server's own key is unrestricted and the same in every process with this secret key", () => {
    expect(sessions.own.accessKeyId).toMatch(/^DRYK[A-Z2-7]{16}$/);
    expect(sessions.find(sessions.own.accessKeyId, undefined)).toEqual({
      ...sessions.own,
      policy: 'everything',
    });
    expect(open('one').own).toEqual(sessions.own);
    expect(open('two').own.accessKeyId).not.toBe(sessions.own.accessKeyId);
    expect(open('two').find(sessions.own.accessKeyId, undefined)).toBeUndefined();
  });

  test("the server's own key is valid as long as its secret key is known", () => {
    const next = open('two', 'one');
    expect(next.own).toEqual(open('two').own);
    expect(next.find(sessions.own.accessKeyId, undefined)).toMatchObject({ policy: 'everything' });
  });
});

test('listed accounts are unrestricted', () => {
  const account = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
  const gateway = new Sessions({ signer: createSigner('one'), region, accounts: [account] });
  expect(gateway.find(account.accessKeyId, undefined)).toEqual({ ...account, policy: 'everything' });
  expect(gateway.find(account.accessKeyId, session.sessionToken)).toBe('invalid');
});

test('a policy that makes the token too long is refused', () => {
  const long = Array.from({ length: 1000 }, (_, index) => `arn:aws:s3:::drydock/${Math.sin(index)}`);
  const tooLong = { ...policy, Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource: long }] } as const;
  expect(() => sessions.issue(tooLong, 60)).toThrow('too large');
});
