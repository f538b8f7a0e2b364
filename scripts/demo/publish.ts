/** Publishes what the demo works with: tasks, a capability and a dataset, each as a manifest with files. */
import { type ArtifactUpload, type ArtifactUploadRequest, isDrydockError } from '../../sdk/src/drydock.ts';

export const WHERE = { org: 'main', workspace: 'main' };
export const VERSION = '1.0.0';

interface OneVersion {
  readonly org: string;
  readonly name: string;
  readonly version: string;
}

/** `drydock.tasks`, `.datasets`, `.models` or `.capabilities`. */
interface Registry {
  createUpload(where: OneVersion, request: ArtifactUploadRequest): Promise<ArtifactUpload>;
  completeUpload(where: OneVersion): Promise<unknown>;
}

interface Artifact {
  readonly name: string;
  readonly manifest: ArtifactUploadRequest['manifest'];
  /** Contents by path. */
  readonly files: Readonly<Record<string, string | Buffer<ArrayBuffer>>>;
}

export async function publish(registry: Registry, { name, manifest, files }: Artifact): Promise<void> {
  const where = { org: WHERE.org, name, version: VERSION };
  const contents = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
  const announced = await Promise.all(
    [...contents].map(async ([path, content]) => ({
      path,
      size_bytes: content.length,
      sha256: Buffer.from(await crypto.subtle.digest('SHA-256', content)).toString('hex'),
    })),
  );
  try {
    const upload = await registry.createUpload(where, { manifest, files: announced });
    for (const { path, url } of upload.files) if (url) await put(url, contents.get(path) ?? Buffer.from(''));
    await registry.completeUpload(where);
  } catch (error) {
    // A server that has run the demo before has the version already.
    if (!(isDrydockError(error) && error.status === 409)) throw error;
  }
}

async function put(url: string, body: Buffer<ArrayBuffer>): Promise<void> {
  const { ok, status } = await fetch(url, { method: 'PUT', body });
  if (!ok) throw new Error(`The object storage refused an upload with status ${status}.`);
}
