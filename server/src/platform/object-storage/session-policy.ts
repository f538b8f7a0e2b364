/** What temporary credentials may do, in the language in which every S3 takes it: one policy for STS and for our gateway. */
import type { StorageGrant } from './object-storage.ts';

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  /** Only on what is asked of a bucket: the prefix that is asked for must fit one of these. */
  readonly Condition?: PolicyCondition | undefined;
}

/** All that are given must hold. */
export interface PolicyCondition {
  readonly StringLike?: PrefixCondition | undefined;
  readonly StringEquals?: PrefixCondition | undefined;
}

interface PrefixCondition {
  readonly 's3:prefix': readonly string[];
}

const READ = ['s3:GetObject'];
const WRITE = ['s3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];
/** Not of unfinished uploads: S3 knows no prefix for those, so that who may list any may list all. */
const LIST = ['s3:ListBucket'];

/** @param partition of AWS; in China and for governments it is another one, and everywhere else `aws` */
export function toSessionPolicy(
  bucket: string,
  { prefix, access }: StorageGrant,
  partition = 'aws',
): PolicyDocument {
  const arn = `arn:${partition}:s3:::${bucket}`;
  const isWriter = access === 'write';
  return {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: isWriter ? [...READ, ...WRITE] : READ, Resource: [`${arn}/${prefix}*`] },
      {
        Effect: 'Allow',
        Action: LIST,
        Resource: [arn],
        Condition: { StringLike: { 's3:prefix': [`${prefix}*`] } },
      },
      { Effect: 'Allow', Action: ['s3:GetBucketLocation'], Resource: [arn] },
    ],
  };
}
