/** Announces files and then uploads them with the returned links. */
import { createHash } from 'node:crypto';

type Files = Readonly<Record<string, string>>;

export const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

export const announce = (files: Files) =>
  Object.entries(files).map(([path, content]) => ({
    path,
    size_bytes: Buffer.byteLength(content),
    sha256: sha256(content),
  }));

export interface Linked {
  readonly path: string;
  readonly url: string | null;
}

/** @returns the status */
export const put = async (url: string, body: string) => (await fetch(url, { method: 'PUT', body })).status;

/** Uploads those of the files that have a link. */
export async function putAll({ files: linked }: { readonly files: readonly Linked[] }, files: Files) {
  for (const { path, url } of linked) {
    const content = files[path];
    const status = url && content !== undefined && (await put(url, content));
    if (status && status !== 200) throw new Error(`PUT ${path}: ${status}`);
  }
}
