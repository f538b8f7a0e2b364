/** Accesses the objects of a workspace with its storage credentials. */
import { S3Client } from '@aws-sdk/client-s3';
import { call } from './processes.ts';

/** The response body of the operation. */
export interface CredentialsBody {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string;
  readonly endpoint: string;
  readonly expiration: string;
}

export interface S3Access {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

export const CREDENTIALS_PATH = '/org/main/ws/main/storage/credentials';

/** Returns the credentials of a running server's first workspace. */
export async function getAccess(url: string, apiKey: string): Promise<S3Access> {
  const { status, body } = await call<CredentialsBody>(url, apiKey, 'GET', CREDENTIALS_PATH);
  if (status !== 200) throw new Error(`no credentials: ${JSON.stringify(body)}`);
  return toAccess(body);
}

export function toAccess(body: CredentialsBody): S3Access {
  const { bucket, prefix, region, endpoint } = body;
  return {
    bucket,
    prefix,
    region,
    endpoint,
    accessKeyId: body.access_key_id,
    secretAccessKey: body.secret_access_key,
    sessionToken: body.session_token,
  };
}

/** @param maxAttempts 1 for tests that expect a failure instead of a retry */
export function openS3(access: S3Access, { maxAttempts = 3 } = {}): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = access;
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
  });
}
