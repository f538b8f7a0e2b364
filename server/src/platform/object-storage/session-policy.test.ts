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

test('a read policy allows reading and listing objects under the prefix', () => {
  expect(toSessionPolicy('b', { prefix: 'orgs/1/', access: 'read' })).toEqual({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::b/orgs/1/*'] },
      ...list('aws'),
    ],
  });
});

test('a write policy also allows writing and deleting them, including multipart uploads', () => {
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

test.each(['read', 'write'] as const)('a token service accepts the length of a policy to %s', (access) => {
  const id = '0199c0de-0000-7000-8000-000000000000';
  const grant = { prefix: `orgs/${id}/workspaces/${id}/`, access };
  const policy = toSessionPolicy('b'.repeat(63), grant);
  expect(JSON.stringify(policy).length).toBeLessThan(2_048);
});
