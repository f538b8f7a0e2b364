/** Operations of the gateway, with the permissions that each needs. */

import type { S3Action } from '../authentication/policy.ts';
import { accessDenied, type Exchange } from '../http/exchange.ts';
import type { OperationName } from '../http/routing.ts';
import {
  createBucket,
  deleteBucket,
  getBucketAcl,
  getBucketConfiguration,
  getBucketLocation,
  getObjectAcl,
  getObjectTagging,
  headBucket,
  listBuckets,
} from './buckets.ts';
import { completeMultipartUpload } from './complete-upload.ts';
import { copyObject } from './copy-object.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { getObject, headObject } from './get-object.ts';
import { listObjects, listObjectsV2 } from './list-objects.ts';
import { listMultipartUploads, listParts } from './list-uploads.ts';
import { putObject } from './put-object.ts';
import { uploadPart, uploadPartCopy } from './upload-part.ts';
import { abortMultipartUpload, createMultipartUpload } from './uploads.ts';

type Run = (exchange: Exchange) => Promise<void>;

interface Operation {
  /** Throws if the caller lacks permission; called before anything is looked up or read. */
  readonly admit: (exchange: Exchange) => void;
  readonly run: Run;
}

const onKey = (action: S3Action, run: Run): Operation => ({
  admit: (exchange) => exchange.require(action, { key: exchange.key }),
  run,
});

/** Checks the permission for the requested prefix. */
const onPrefix = (action: S3Action, run: Run): Operation => ({
  admit: (exchange) => exchange.require(action, { prefix: exchange.query.get('prefix') }),
  run,
});

const onBucket = (action: S3Action, run: Run): Operation => ({
  admit: (exchange) => exchange.require(action, { prefix: undefined }),
  run,
});

const unrestricted = (run: Run): Operation => ({
  admit: ({ caller }) => {
    if (caller.isRestricted) throw accessDenied();
  },
  run,
});

/** The permission is checked again for each key in the body. */
const onAnything = (action: S3Action, run: Run): Operation => ({
  admit: (exchange) => exchange.require(action, 'anything'),
  run,
});

/** Its response contains no information. */
const admitsEveryone = (run: Run): Operation => ({ admit: () => undefined, run });

export const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  ListBuckets: unrestricted(listBuckets),

  CreateBucket: admitsEveryone(createBucket),
  DeleteBucket: admitsEveryone(deleteBucket),
  GetBucketAcl: unrestricted(getBucketAcl),
  GetBucketConfiguration: unrestricted(getBucketConfiguration),
  // Not secret, because browsers can see it. s3cmd requests it for every object it describes and gives up if it is refused.
  GetBucketCors: onBucket('s3:GetBucketLocation', getBucketConfiguration),
  GetBucketLocation: onBucket('s3:GetBucketLocation', getBucketLocation),
  // Its response contains only the location of the bucket.
  HeadBucket: onBucket('s3:GetBucketLocation', headBucket),

  ListObjects: onPrefix('s3:ListBucket', listObjects),
  ListObjectsV2: onPrefix('s3:ListBucket', listObjectsV2),

  GetObject: onKey('s3:GetObject', getObject),
  HeadObject: onKey('s3:GetObject', headObject),
  GetObjectAcl: onKey('s3:GetObject', getObjectAcl),
  GetObjectTagging: onKey('s3:GetObject', getObjectTagging),
  PutObject: onKey('s3:PutObject', putObject),
  CopyObject: onKey('s3:PutObject', copyObject),
  DeleteObject: onKey('s3:DeleteObject', deleteObject),
  DeleteObjects: onAnything('s3:DeleteObject', deleteObjects),

  CreateMultipartUpload: onKey('s3:PutObject', createMultipartUpload),
  UploadPart: onKey('s3:PutObject', uploadPart),
  UploadPartCopy: onKey('s3:PutObject', uploadPartCopy),
  CompleteMultipartUpload: onKey('s3:PutObject', completeMultipartUpload),
  AbortMultipartUpload: onKey('s3:AbortMultipartUpload', abortMultipartUpload),
  ListParts: onKey('s3:ListMultipartUploadParts', listParts),
  ListMultipartUploads: onPrefix('s3:ListBucketMultipartUploads', listMultipartUploads),
};
