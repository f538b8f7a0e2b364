/** `dataset.yaml`: lists the files that are splits. Their content is examined elsewhere. */
import { z } from 'zod';
import type { DataFormat } from '../../platform/analytics/data-file.ts';
import { invalidValue } from '../../platform/errors.ts';
import type { DatasetExaminer } from '../datasets/examine.ts';
import { findDataFormat, type Split, type SplitFile } from '../datasets/split.ts';
import type { ArtifactFile, Examined, KindOfArtifact } from '../draft.ts';
import { MANIFEST_FILES } from '../kinds.ts';
import { BundlePath, getFile, isHidden, NO_LISTING, Text, Word, Words } from './fields.ts';

const SplitName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
    'a split is named with 1 to 63 letters, digits, dots, underscores or dashes, starting with a letter or digit',
  );

const MAX_SPLITS = 100;

const DatasetManifest = z.looseObject({
  summary: Text.nullish(),
  license: Word.nullish(),
  tags: Words.nullish(),
  task_categories: Words.nullish(),
  splits: z
    .record(SplitName, BundlePath, 'must be like {train: train.jsonl}')
    .refine((splits) => Object.keys(splits).length > 0, 'must name a split, or be left out')
    .refine((splits) => Object.keys(splits).length <= MAX_SPLITS, `must name at most ${MAX_SPLITS} splits`)
    .nullish(),
});

type DatasetManifest = z.output<typeof DatasetManifest>;

/** `artifact_versions.details` of a dataset, besides the listing. */
export interface DatasetDetails {
  /** Splits in the order of the manifest. */
  readonly splits: readonly Split[];
  readonly row_count: number;
}

export function datasetKind(examineSplits: DatasetExaminer): KindOfArtifact<DatasetManifest> {
  return {
    kind: 'dataset',
    manifest: DatasetManifest,
    examine: async ({ manifest, files, ...reading }) => {
      const splits = await examineSplits(toSplits(manifest, files), reading);
      const row_count = splits.reduce((sum, split) => sum + split.row_count, 0);
      const details: DatasetDetails = { splits, row_count };
      const listing = {
        ...NO_LISTING,
        summary: manifest.summary ?? null,
        tags: manifest.tags ?? null,
        license: manifest.license ?? null,
        task_categories: manifest.task_categories ?? null,
      };
      return { listing, details: { ...details } };
    },
  };
}

const PLACE = [MANIFEST_FILES.dataset, 'splits'];

function toSplits({ splits }: DatasetManifest, files: Examined<unknown>['files']): SplitFile[] {
  if (!splits) return [theOnlySplit(files)];
  return Object.entries(splits).map(([name, path]) => {
    const loc = [...PLACE, name];
    const file = getFile(files, path, loc);
    const format = findDataFormat(path);
    if (!format)
      throw invalidValue(['body', ...loc], `names "${path}": data files end with .jsonl, .csv or .parquet`);
    return toSplit(file, name, format);
  });
}

const toSplit = (file: ArtifactFile, name: string, format: DataFormat): SplitFile => ({
  ...file,
  name,
  format,
});

function theOnlySplit(files: Examined<unknown>['files']): SplitFile {
  const found = [...files.values()].flatMap((file) => {
    const format = isHidden(file.path) ? undefined : findDataFormat(file.path);
    return format ? [toSplit(file, 'train', format)] : [];
  });
  const [only, another] = found;
  if (only && !another) return only;
  const msg = only
    ? `is needed: the bundle holds ${found.length} data files (${someOf(found)}). Name each, as in "train: ${only.path}"`
    : 'is needed: the bundle holds no file that ends with .jsonl, .csv or .parquet';
  throw invalidValue(['body', ...PLACE], msg, 'missing');
}

const someOf = (found: readonly SplitFile[]) =>
  found
    .slice(0, 5)
    .map(({ path }) => path)
    .join(', ') + (found.length > 5 ? ', …' : '');
