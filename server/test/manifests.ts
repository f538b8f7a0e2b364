/** Reads and validates manifests as publishing does, without publishing anything. */
import { ApiError } from '../src/platform/errors.ts';
import { parseManifest } from '../src/platform/manifest-yaml.ts';
import type { ArtifactFile } from '../src/registry/draft.ts';
import { type Kind, MANIFEST_FILES } from '../src/registry/kinds.ts';
import { kindsOfArtifact } from '../src/registry/manifests/kinds-of-artifact.ts';

const readers = kindsOfArtifact(async (splits) =>
  splits.map((split) => ({ ...split, row_count: 10, columns: [{ name: 'a', type: 'BIGINT' }] })),
);
const AS = { name: 'thing', version: '1.0.0' };
const { signal } = new AbortController();

/**
 * Reads a manifest of `thing` 1.0.0.
 * @param paths of the files beside it
 */
export async function readManifest(kind: Kind, yaml: string, paths: readonly string[] = []) {
  const file = MANIFEST_FILES[kind];
  const reader = readers.find((each) => each.kind === kind);
  if (!reader) throw new Error(`no ${kind}`);
  const files = new Map<string, ArtifactFile>(
    paths.map((path) => [path, { path, sha256: `of ${path}`, size_bytes: 1 }]),
  );
  const examine = reader.read({ ...parseManifest(file, Buffer.from(yaml)), loc: ['body', file] }, AS);
  const open = () => Promise.reject(new Error('there is no content'));
  return examine({ organizationId: 'o', files, open, signal });
}

/** Returns the mistakes as "where: what". */
export async function findMistakes(kind: Kind, yaml: string, paths?: readonly string[]): Promise<string[]> {
  try {
    await readManifest(kind, yaml, paths);
  } catch (error) {
    if (error instanceof ApiError && error.type === 'validation_error')
      return (error.issues ?? []).map(({ loc, msg }) => `${loc.slice(2).join('.')}: ${msg}`);
    throw error;
  }
  return [];
}

export const NO_LISTING = {
  summary: null,
  tags: null,
  license: null,
  task_categories: null,
  framework: null,
  size_category: null,
  difficulty: null,
  source: null,
};
