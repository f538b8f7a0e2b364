import { describe, expect, test } from 'vitest';
import { type PolicyStatement, toSessionPolicy } from '../../../platform/object-storage/session-policy.ts';
import { compilePolicy, type S3Action, type Target, toMatcher } from './policy.ts';

const BUCKET = 'drydock';
const writer = compilePolicy(toSessionPolicy(BUCKET, { prefix: 'ws/1/', access: 'write' }), BUCKET);
const reader = compilePolicy(toSessionPolicy(BUCKET, { prefix: 'ws/1/', access: 'read' }), BUCKET);

describe('the policy of workspace credentials', () => {
  test.each<[S3Action, Target, isWriter: boolean, isReader: boolean]>([
    ['s3:GetObject', { key: 'ws/1/a' }, true, true],
    ['s3:GetObject', { key: 'ws/1/' }, true, true],
    ['s3:GetObject', { key: 'ws/1' }, false, false],
    ['s3:GetObject', { key: 'ws/10/a' }, false, false],
    ['s3:GetObject', { key: 'ws/2/a' }, false, false],
    ['s3:GetObject', { key: '/ws/1/a' }, false, false],
    ['s3:GetObject', { key: 'WS/1/a' }, false, false],
    ['s3:GetObject', { key: '' }, false, false],
    ['s3:PutObject', { key: 'ws/1/a' }, true, false],
    ['s3:PutObject', { key: 'ws/2/a' }, false, false],
    ['s3:DeleteObject', { key: 'ws/1/a' }, true, false],
    ['s3:AbortMultipartUpload', { key: 'ws/1/a' }, true, false],
    ['s3:ListMultipartUploadParts', { key: 'ws/1/a' }, true, false],
    ['s3:ListBucket', { prefix: 'ws/1/' }, true, true],
    ['s3:ListBucket', { prefix: 'ws/1/deeper/' }, true, true],
    ['s3:ListBucket', { prefix: 'ws/1' }, false, false],
    ['s3:ListBucket', { prefix: 'ws/' }, false, false],
    ['s3:ListBucket', { prefix: '' }, false, false],
    ['s3:ListBucket', { prefix: undefined }, false, false],
    ['s3:ListBucket', { key: 'ws/1/a' }, false, false],
    ['s3:ListBucketMultipartUploads', { prefix: 'ws/1/' }, false, false],
    ['s3:GetBucketLocation', { prefix: undefined }, true, true],
    ['s3:CreateBucket', { prefix: undefined }, false, false],
    ['s3:ListAllMyBuckets', { prefix: undefined }, false, false],
  ])('workspace credentials: %s on %j', (action, on, isWriter, isReader) => {
    expect(writer(action, on)).toBe(isWriter);
    expect(reader(action, on)).toBe(isReader);
  });

  test('workspace credentials give no access to another bucket', () => {
    const policy = toSessionPolicy('other', { prefix: 'ws/1/', access: 'write' });
    expect(compilePolicy(policy, BUCKET)('s3:GetObject', { key: 'ws/1/a' })).toBe(false);
  });
});

const permits = (statement: Omit<PolicyStatement, 'Effect'>) =>
  compilePolicy({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] }, BUCKET);

describe('policies', () => {
  test('a policy with wildcards allows exactly what it matches', () => {
    const may = permits({ Action: ['s3:get*'], Resource: [`arn:aws:s3:::${BUCKET}/a?/*.txt`] });
    expect(may('s3:GetObject', { key: 'ab/c/d.txt' })).toBe(true);
    expect(may('s3:GetObject', { key: 'ab/c/d.png' })).toBe(false);
    expect(may('s3:GetObject', { key: 'abc/d.txt' })).toBe(false);
    expect(may('s3:PutObject', { key: 'ab/d.txt' })).toBe(false);
  });

  test('a policy may allow everything', () => {
    const may = permits({ Action: ['*'], Resource: ['*'] });
    expect(may('s3:DeleteObject', { key: 'a' })).toBe(true);
    expect(may('s3:ListBucket', { prefix: undefined })).toBe(true);
  });

  test('a policy applies only if all conditions are met', () => {
    const resource = `arn:aws:s3:::${BUCKET}`;
    const equal = { StringEquals: { 's3:prefix': ['', 'a/'] } };
    const exact = permits({ Action: ['s3:ListBucket'], Resource: [resource], Condition: equal });
    expect(exact('s3:ListBucket', { prefix: '' })).toBe(true);
    expect(exact('s3:ListBucket', { prefix: 'a/' })).toBe(true);
    expect(exact('s3:ListBucket', { prefix: 'a/b' })).toBe(false);
    expect(exact('s3:ListBucket', { prefix: undefined })).toBe(false);
    const both = permits({
      Action: ['s3:ListBucket'],
      Resource: [resource],
      Condition: { ...equal, StringLike: { 's3:prefix': ['a*'] } },
    });
    expect(both('s3:ListBucket', { prefix: 'a/' })).toBe(true);
    expect(both('s3:ListBucket', { prefix: '' })).toBe(false);
  });

  test('a policy reports whether it mentions an action at all', () => {
    const may = permits({ Action: ['s3:Put*'], Resource: [`arn:aws:s3:::${BUCKET}/a`] });
    expect(may('s3:PutObject', 'anything')).toBe(true);
    expect(may('s3:DeleteObject', 'anything')).toBe(false);
  });
});

describe('wildcards', () => {
  test.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'anything/at:all', true],
    ['a', 'a', true],
    ['a', 'A', false],
    ['a*', 'a', true],
    ['a*', 'ba', false],
    ['*a', 'bca', true],
    ['*a', 'bcab', false],
    ['a*c', 'abbc', true],
    ['a*c', 'abb', false],
    ['a**c', 'ac', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['?', 'a', true],
    ['?', '', false],
    ['??', 'a', false],
    ['a?c', 'abc', true],
    ['*?', '', false],
    ['*?', 'a', true],
    ['?*', 'abc', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['*aab', 'aaaab', true],
    ['*', '*', true],
    ['a?', 'a*', true],
  ])('pattern %j on %j', (pattern, text, expected) => {
    expect(toMatcher(pattern)(text)).toBe(expected);
  });

  test('matching of adversarial patterns is not slow', () => {
    const matches = toMatcher(`${'*a'.repeat(500)}b`);
    const started = process.cpuUsage();
    expect(matches('a'.repeat(1024))).toBe(false);
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
  });
});
