/** Schemas that several manifests share. */
import { z } from 'zod';
import { invalidValue } from '../../platform/errors.ts';
import { findPathProblem } from '../../platform/file-tree.ts';
import type { ArtifactFile, Listing } from '../draft.ts';

export const Text = z.string().trim().min(1).max(2_000);
export const Word = z.string().trim().min(1).max(255);
export const Words = z.array(Word, 'must be a list, as in [one, another]').max(100);
export const AnyObject = z.record(z.string(), z.unknown());

/** Path of a file in the bundle; a leading "./" is dropped. */
export const BundlePath = z
  .string()
  .transform((path) => path.replace(/^\.\//, ''))
  .superRefine((path, context) => {
    const problem = findPathProblem(path);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

export const NO_LISTING: Listing = {
  summary: null,
  tags: null,
  license: null,
  task_categories: null,
  framework: null,
  size_category: null,
  difficulty: null,
  source: null,
};

/** Hidden files that systems and editors create, such as `._train.jsonl`. */
export const isHidden = (path: string) => path.split('/').some((segment) => segment.startsWith('.'));

type Files = ReadonlyMap<string, ArtifactFile>;

/** @param loc of the manifest key that names the file */
export function getFile(files: Files, path: string, loc: readonly (string | number)[]): ArtifactFile {
  const file = files.get(path);
  if (!file) throw invalidValue(['body', ...loc], `names "${path}", which is not a file of the bundle`);
  return file;
}
