/** The parts of hostile requests: impersonated identities, and valid requests to start from. */
import type { S3Code } from '../src/storage/gateway/s3-error.ts';
import {
  presignRequest,
  type RawRequest,
  type RequestCredentials,
  type RequestToSign,
  signRequest,
} from './s3-requests.ts';

/** The identities and places that the requests use. */
export interface HostileWorld {
  readonly host: string;
  readonly bucket: string;
  /** May write `key`. */
  readonly session: RequestCredentials;
  /** The same session, expired. */
  readonly expiredSession: RequestCredentials;
  /** Another valid session. */
  readonly otherSession: RequestCredentials;
  /** A token that another server signed. */
  readonly foreignToken: string;
  /** A key without a token. */
  readonly account: RequestCredentials;
  readonly key: string;
}

export type HostileRequest = readonly [
  name: string,
  code: S3Code,
  build: (world: HostileWorld) => RawRequest,
];

/** A valid request; the cases change one part of it. */
export const put = (world: HostileWorld, change: Partial<RequestToSign> = {}) =>
  signRequest({
    host: world.host,
    path: `/${world.bucket}/${world.key}`,
    credentials: world.session,
    body: 'content',
    ...change,
  });

type Presign = Parameters<typeof presignRequest>[0];

export const presigned = (world: HostileWorld, change: Partial<Presign> = {}) =>
  presignRequest({
    method: 'GET',
    host: world.host,
    region: 'us-east-1',
    bucket: world.bucket,
    key: world.key,
    credentials: world.session,
    expiresInSeconds: 900,
    ...change,
  });
