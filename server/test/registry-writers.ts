/** Publishers that know the expected content of each version, even after publications with an unknown outcome. */
import { createHash, randomInt } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createArchive } from '../src/registry/downloads/archive.ts';

type Files = Readonly<Record<string, Buffer>>;

export interface Published {
  readonly kind: 'datasets' | 'models';
  readonly name: string;
  readonly version: string;
}

/** A requested conversion of a version. */
export interface PendingChange {
  readonly of: Published;
  readonly body: { readonly format?: 'csv' | 'parquet'; readonly split?: string };
}

/** The place of publication. */
export interface Registry {
  /** Rejects with a Refusal if the server refuses or fails, and with any other error if there is no response. */
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  put(url: string, content: Buffer): Promise<void>;
}

/** A response that is unexpected here, except for a few that are expected by name. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`${status}: ${message}`);
    this.status = status;
  }
}

const WAYS = ['bundle', 'uploads'] as const;
type Way = (typeof WAYS)[number];

export class RegistryWriter {
  readonly counts = { bundle: 0, uploads: 0, download: 0, deletion: 0 };
  readonly published: Published[] = [];
  readonly pendingChanges = new Map<string, PendingChange>();
  /** A version that may or may not exist, or may or may not still exist. */
  private doubtful: { readonly version: Published; readonly isToGo: boolean } | undefined;
  private readonly name: string;
  private number = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Publishes one version after the other until a request gets no response. */
  async write(registry: Registry): Promise<void> {
    try {
      for (;;) await this.step(registry);
    } catch (error) {
      if (error instanceof Refusal) throw error;
    }
  }

  /** Repeats the last publication, which succeeds regardless of the first outcome. */
  async finish(registry: Registry): Promise<void> {
    const { version, isToGo = false } = this.doubtful ?? {};
    if (version) await (isToGo ? this.delete(registry, version) : this.publish(registry, version));
  }

  private async step(registry: Registry): Promise<void> {
    const known = this.published[randomInt(this.published.length + 1)];
    const choice = known ? randomInt(6) : 0;
    if (known && choice === 1) return this.delete(registry, known);
    if (known && choice > 2) return this.download(registry, known);
    const kind = randomInt(2) === 0 ? 'datasets' : 'models';
    await this.publish(registry, { kind, name: this.name, version: `1.0.${this.number++}` });
  }

  private async publish(registry: Registry, version: Published): Promise<void> {
    this.doubtful = { version, isToGo: false };
    const way = WAYS[randomInt(WAYS.length)] ?? 'bundle';
    for (let isDone = false; !isDone; ) isDone = await wasTaken(publishBy[way](registry, version));
    this.counts[way]++;
    this.doubtful = undefined;
    this.published.push(version);
  }

  private async delete(registry: Registry, version: Published): Promise<void> {
    this.doubtful = { version, isToGo: true };
    this.published.splice(0, Infinity, ...this.published.filter((other) => other !== version));
    for (const [key, { of }] of this.pendingChanges) if (of === version) this.pendingChanges.delete(key);
    await registry.send('DELETE', pathOf(version)).catch((error: unknown) => {
      // The repetition of a deletion may find nothing.
      if (!(error instanceof Refusal && error.status === 404)) throw error;
    });
    this.doubtful = undefined;
    this.counts.deletion++;
  }

  private async download(registry: Registry, version: Published): Promise<void> {
    const format = randomInt(2) === 0 ? ('csv' as const) : ('parquet' as const);
    const body = version.kind === 'models' || randomInt(3) === 0 ? {} : { format, split: 'train' };
    const change = { of: version, body };
    this.pendingChanges.set(JSON.stringify(change), change);
    await registry.send('POST', `${pathOf(version)}/download`, body);
    this.counts.download++;
  }
}

/**
 * A blob that another publisher has just deleted may be gone before it is published again: the server reports this, and the publisher
 * starts over.
 */
async function wasTaken(publishing: Promise<void>): Promise<boolean> {
  try {
    await publishing;
    return true;
  } catch (error) {
    if (error instanceof Refusal && /begin the upload again/i.test(error.message)) return false;
    throw error;
  }
}

export const pathOf = ({ kind, name, version }: Published) => `/${kind}/${name}/${version}`;

const publishBy: Record<Way, (registry: Registry, version: Published) => Promise<void>> = {
  bundle: async (registry, version) => {
    const archived = Object.entries({ ...filesOf(version), ...manifestOf(version) }).map(
      ([path, content]) => ({
        path,
        size_bytes: content.length,
        open: async () => [content],
      }),
    );
    await registry.send('PUT', pathOf(version), await buffer(createArchive(archived, NEVER)));
  },
  uploads: async (registry, version) => {
    const files = filesOf(version);
    const announced = Object.entries(files).map(([path, content]) => ({
      path,
      size_bytes: content.length,
      sha256: sha256Of(content),
    }));
    const [, manifest] = MANIFESTS[version.kind];
    const request = { files: announced, manifest };
    const upload = (await registry.send('POST', `${pathOf(version)}/uploads`, request)) as AnnouncedUpload;
    await Promise.all(
      upload.files.map(async ({ path, url }) => url && registry.put(url, files[path] ?? Buffer.alloc(0))),
    );
    await registry.send('POST', `${pathOf(version)}/complete`, { upload_id: upload.upload_id });
  },
};

interface AnnouncedUpload {
  readonly upload_id: string;
  readonly files: readonly { readonly path: string; readonly url: string | null }[];
}

const NEVER = new AbortController().signal;

/** All files except the manifest: some unique to the version, one shared by a third of all versions. */
export function filesOf({ kind, name, version }: Published): Files {
  const tag = `${kind} ${name} ${version}`;
  const number = Number(version.split('.').at(-1));
  const shared = { 'shared.bin': Buffer.alloc(300_000, `shared ${number % 3}`) };
  if (kind === 'models') {
    const large = number % 4 === 0 ? 9 * 2 ** 20 : 1_500_000;
    return { ...shared, 'weights.bin': Buffer.alloc(large, tag), 'größe/config.json': Buffer.from(tag) };
  }
  const rows = Array.from({ length: 2_000 }, (_, n) => JSON.stringify({ n, text: `${tag} größe ${n}` }));
  return {
    ...shared,
    'train.jsonl': Buffer.from(`${rows.join('\n')}\n`),
    'größe/test.csv': Buffer.from(`n,text\n1,${number % 3}\n`),
  };
}

const MANIFESTS = {
  datasets: ['dataset.yaml', { splits: { train: 'train.jsonl', test: 'größe/test.csv' } }],
  models: ['model.yaml', { summary: 'Größe' }],
} as const;

function manifestOf({ kind }: Published): Files {
  const [path, manifest] = MANIFESTS[kind];
  return { [path]: Buffer.from(JSON.stringify(manifest)) };
}

export const sha256Of = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
