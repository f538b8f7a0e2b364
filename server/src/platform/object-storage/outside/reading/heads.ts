/** Reads the metadata of objects. */
import { HeadBucketCommand, HeadObjectCommand, type HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { codeOf, explained } from '../failures.ts';
import type { Place } from '../place.ts';

/** Milliseconds for which the existence of the bucket is cached. */
const BUCKET_LASTS_MS = 5_000;

export class Heads {
  private readonly place: Place;
  private bucketLastsUntil = 0;

  constructor(place: Place) {
    this.place = place;
  }

  /** The response to HEAD has no body that could say what is missing: the object, the bucket, or the S3 server behind a proxy. */
  async find(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const { s3, bucket } = this.place;
    const asking = s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
    const head = await explained(asking.catch(passAbsence));
    if (!head) await this.requireBucket();
    return head;
  }

  private async requireBucket(): Promise<void> {
    if (performance.now() < this.bucketLastsUntil) return;
    const { s3, bucket } = this.place;
    await explained(s3.send(new HeadBucketCommand({ Bucket: bucket })));
    this.bucketLastsUntil = performance.now() + BUCKET_LASTS_MS;
  }
}

function passAbsence(error: unknown): undefined {
  if (!['NotFound', 'NoSuchKey'].includes(codeOf(error))) throw error;
}
