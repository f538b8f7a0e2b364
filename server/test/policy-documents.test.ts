import { describe, expect, test } from 'vitest';
import { toSessionPolicy } from '../src/platform/object-storage/session-policy.ts';
import { parsePolicy } from './policy-documents.ts';
import { ServiceError } from './service-error.ts';

const BUCKET = 'drydock';

describe('a policy from a client', () => {
  test('is parsed to the same form as our own policies', () => {
    const policy = toSessionPolicy(BUCKET, { prefix: 'ws/1/', access: 'write' });
    expect(parsePolicy(JSON.stringify(policy))).toEqual(policy);
  });

  const good = { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::drydock/*' };
  const document = (statement: object): object => ({ Version: '2012-10-17', Statement: [statement] });
  test.each<[string, unknown]>([
    ['a denial', document({ ...good, Effect: 'Deny' })],
    ['NotAction', document({ Effect: 'Allow', NotAction: 's3:GetObject', Resource: '*' })],
    ['NotResource', document({ Effect: 'Allow', Action: 's3:GetObject', NotResource: '*' })],
    ['a principal', document({ ...good, Principal: '*' })],
    ['another condition', document({ ...good, Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } })],
    ['a condition on another key', document({ ...good, Condition: { StringLike: { 's3:delimiter': '/' } } })],
    [
      'a condition on two keys',
      document({ ...good, Condition: { StringLike: { 's3:prefix': 'a', 's3:delimiter': '/' } } }),
    ],
    [
      'a condition that may be absent',
      document({ ...good, Condition: { StringLikeIfExists: { 's3:prefix': 'a' } } }),
    ],
    ['an empty condition', document({ ...good, Condition: {} })],
    ['a variable', document({ ...good, Resource: 'arn:aws:s3:::drydock/${aws:username}/*' })],
    [
      'a variable in a condition',
      document({ ...good, Condition: { StringLike: { 's3:prefix': '${aws:username}' } } }),
    ],
    ['no action', document({ Effect: 'Allow', Resource: '*' })],
    ['an empty list of actions', document({ ...good, Action: [] })],
    ["another service's action", document({ ...good, Action: 'iam:*' })],
    ["another service's resource", document({ ...good, Resource: 'arn:aws:iam:::role/x' })],
    ['no resource', document({ Effect: 'Allow', Action: 's3:*' })],
    ['no effect', document({ Action: 's3:*', Resource: '*' })],
    ['no statement', { Version: '2012-10-17', Statement: [] }],
    ['another version', { Version: '2008-10-17', Statement: [good] }],
    ['no version', { Statement: [good] }],
    ['a field that is unknown', { ...document(good), Extra: 1 }],
    ['a text', 'allow'],
    ['null', null],
    ['more than 2048 characters', document({ ...good, Sid: 'x'.repeat(2048) })],
  ])('is refused with %s', (_name, policy) => {
    expect(refusalOf(() => parsePolicy(JSON.stringify(policy)))).toBe('MalformedPolicyDocument');
  });

  test('is refused when it is not JSON', () => {
    expect(refusalOf(() => parsePolicy('{"Version":'))).toBe('MalformedPolicyDocument');
  });

  test('can be compared with the policy of a session', () => {
    const single = { Sid: 'x', Effect: 'Allow', Action: 's3:GetObject', Resource: '*' };
    expect(parsePolicy(JSON.stringify(document(single))).Statement).toEqual([
      { Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['*'], Condition: undefined },
    ]);
  });
});

function refusalOf(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
}
