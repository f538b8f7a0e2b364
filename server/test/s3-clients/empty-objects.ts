/** Puts many empty objects over HTTP with our own signatures, since the SDK would spend most of the time on signing. */
import { Agent, request } from 'node:http';
import { encodeUriPath } from '../../src/platform/object-storage/sigv4/uri-encoding.ts';
import { signRequest } from '../s3-requests.ts';
import type { S3Access } from '../workspace-storage.ts';

const PUTS_AT_ONCE = 32;

export async function putEmpty(access: S3Access, keys: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: PUTS_AT_ONCE });
  const left = keys.values();
  const work = async () => {
    for (const key of left) {
      const status = await put(access, key, agent);
      if (status !== 200) throw new Error(`a put got the status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, work));
  agent.destroy();
}

function put(access: S3Access, key: string, agent: Agent): Promise<number | undefined> {
  const { host, hostname, port } = new URL(access.endpoint);
  const path = encodeUriPath(`/${access.bucket}/${key}`);
  const { method, rawHeaders } = signRequest({
    method: 'PUT',
    host,
    path,
    credentials: access,
    region: access.region,
  });
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path, headers: rawHeaders, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end();
  });
}
