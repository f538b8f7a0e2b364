import { expect, test } from 'vitest';
import { toSessionPolicy } from './session-policy.ts';

const list = (partition: string) => [
  {
    Effect: 'Allow',
    Action: ['s3:ListBucket'],
    Resource: [`arn:${partition}:s3:::b`],
    Condition: { StringLike: { 's3:prefix': ['orgs/1/*'] } },
  },
  { Effect: 'Allow', Action: ['s3:GetBucketLocation'], Resource: [`arn:${partition}:s3:::b`] },
];

test('to read: the objects under the prefix, and their list', () => {
  expect(toSessionPolicy('b', { prefix: 'orgs/1/', access: 'read' })).toEqual({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::b/orgs/1/*'] },
      ...list('aws'),
    ],
  });
});

test('to write: to put and delete them as well, in parts too', () => {
  expect(toSessionPolicy('b', { prefix: 'orgs/1/', access: 'write' }, 'aws-cn')).toEqual({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: [
          's3:GetObject',
          's3:PutObject',
          's3:DeleteObject',
          's3:AbortMultipartUpload',
          's3:ListMultipartUploadParts',
        ],
        Resource: ['arn:aws-cn:s3:::b/orgs/1/*'],
      },
      ...list('aws-cn'),
    ],
  });
});

test.each(['read', 'write'] as const)('to %s: a token service takes a policy of that length', (access) => {
  const id = '0199c0de-0000-7000-8000-000000000000';
  const grant = { prefix: `orgs/${id}/workspaces/${id}/`, access };
  const policy = toSessionPolicy('b'.repeat(63), grant);
  expect(JSON.stringify(policy).length).toBeLessThan(2_048);
});
