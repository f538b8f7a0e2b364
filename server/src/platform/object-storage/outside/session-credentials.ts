/** Temporary credentials from the token service of the S3 server. */
import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts';
import { ApiError } from '../../errors.ts';
import type { StorageGrant } from '../object-storage.ts';
import { toSessionPolicy } from '../session-policy.ts';
import { explained } from './failures.ts';

export interface Session {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAt: Date;
}

export interface SessionRequest {
  readonly bucket: string;
  readonly roleArn: string | undefined;
  readonly grant: StorageGrant;
  readonly seconds: number;
}

export async function assumeRole(
  sts: STSClient,
  { bucket, roleArn, grant, seconds }: SessionRequest,
): Promise<Session> {
  if (roleArn === undefined) {
    throw new ApiError(
      'configuration_error',
      'The object storage issues no credentials: set S3_STS_ROLE_ARN to the role that is assumed for them.',
    );
  }
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    RoleSessionName: toSessionName(grant.prefix),
    DurationSeconds: seconds,
    Policy: JSON.stringify(toSessionPolicy(bucket, grant, partitionOf(roleArn))),
  });
  const { Credentials } = await explained(sts.send(command));
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
    throw new ApiError('object_storage_error', 'The object storage answered without credentials.');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiresAt: Expiration,
  };
}

/** The partition, such as aws-cn: the bucket is in the partition of the role. */
const partitionOf = (roleArn: string) => /^arn:([a-z-]+):/.exec(roleArn)?.[1];

/** Uses the end of the prefix, which is most specific: the name appears in the logs of the S3 server. */
function toSessionName(prefix: string): string {
  const end = prefix
    .replace(/[^\w/-]/g, '-')
    .split('/')
    .findLast((segment) => segment !== '');
  return `drydock-${end ?? 'everything'}`.slice(0, 64);
}
