/** The S3 client and bucket of an object storage. */
import type { S3Client } from '@aws-sdk/client-s3';

export interface Place {
  readonly s3: S3Client;
  readonly bucket: string;
}
