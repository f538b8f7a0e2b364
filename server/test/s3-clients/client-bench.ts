/** A client and a server of its own, with the helpers of most checks. */
import { join } from 'node:path';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { atEndOfFile } from '../end-of-file.ts';
import { makeFolder } from '../processes.ts';
import { openS3, type S3Access } from '../workspace-storage.ts';
import { awsSdk } from './aws-sdk.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import type { S3ClientKind, S3TestClient } from './s3-test-client.ts';

export interface ClientBench extends GatewayProcess {
  readonly kind: S3ClientKind;
  readonly client: S3TestClient;
  /** The prefix of its objects. */
  readonly own: string;
  /** Inspects the effects of a client with the SDK. */
  readonly observer: S3Client;
  openAs(access: S3Access): S3TestClient;
  /** Returns a path for a file of this name. */
  file(name: string): string;
  at(key: string): { readonly Bucket: string; readonly Key: string };
  read(key: string): Promise<Buffer>;
}

/** Uses a new server, so that neither objects nor memory of other clients count. */
export async function openBench(kind: S3ClientKind): Promise<ClientBench> {
  const gateway = await startGatewayProcess();
  const { access } = gateway;
  const files = makeFolder();
  const observer = openS3(access);
  atEndOfFile(() => observer.destroy());
  const openAs = (who: S3Access) => kind.open(who, makeFolder());
  const at = (key: string) => ({ Bucket: access.bucket, Key: key });
  return {
    ...gateway,
    kind,
    client: openAs(access),
    own: `${access.prefix}${kind.title}/`,
    observer,
    openAs,
    file: (name) => join(files, name),
    at,
    read: async (key) => {
      const { Body } = await observer.send(new GetObjectCommand(at(key)));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
  };
}

export const keysUnder = async (access: S3Access, prefix: string) =>
  (await awsSdk.open(access, '').listAll(prefix)).toSorted();
