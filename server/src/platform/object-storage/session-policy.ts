/** Permissions of temporary credentials, in the IAM language that every S3 server accepts: the same policy for STS and for the gateway. */
import type { StorageGrant } from './object-storage.ts';

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  /** Only for bucket operations: the requested prefix must match one of these. */
  readonly Condition?: PolicyCondition | undefined;
}

/** All given conditions must be met. */
export interface PolicyCondition {
  readonly StringLike?: PrefixCondition | undefined;
  readonly StringEquals?: PrefixCondition | undefined;
}

interface PrefixCondition {
  readonly 's3:prefix': readonly string[];
}

const READ = ['s3:GetObject'];
const WRITE = ['s3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];
/** Excludes listing unfinished uploads: S3 cannot limit it to a prefix, so it would list all of them. */
const LIST = ['s3:ListBucket'];

/** @param partition of AWS; differs in China and for governments, and is `aws` everywhere else */
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
