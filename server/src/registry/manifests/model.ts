/** `model.yaml`. */
import { z } from 'zod';
import type { KindOfArtifact } from '../draft.ts';
import { AnyObject, NO_LISTING, Text, Word, Words } from './fields.ts';

const ModelManifest = z.looseObject({
  framework: Word.nullish(),
  architecture: Word.nullish(),
  base_model: Word.nullish(),
  license: Word.nullish(),
  pretty_name: Word.nullish(),
  size_category: Word.nullish(),
  summary: Text.nullish(),
  task: Word.nullish(),
  language: Words.nullish(),
  tags: Words.nullish(),
  task_categories: Words.nullish(),
  origin: AnyObject.nullish(),
});

type ModelManifest = z.output<typeof ModelManifest>;

/** `artifact_versions.details` of a model, besides the listing. */
export interface ModelDetails {
  readonly architecture: string | null;
  readonly base_model: string | null;
  readonly pretty_name: string | null;
  readonly task: string | null;
  readonly language: readonly string[] | null;
  readonly origin: Readonly<Record<string, unknown>>;
}

const DEFAULT_FRAMEWORK = 'safetensors';

export const modelKind: KindOfArtifact<ModelManifest> = {
  kind: 'model',
  manifest: ModelManifest,
  examine: async ({ manifest }) => {
    const details: ModelDetails = {
      architecture: manifest.architecture ?? null,
      base_model: manifest.base_model ?? null,
      pretty_name: manifest.pretty_name ?? null,
      task: manifest.task ?? null,
      language: manifest.language ?? null,
      origin: manifest.origin ?? {},
    };
    const listing = {
      ...NO_LISTING,
      summary: manifest.summary ?? null,
      tags: manifest.tags ?? null,
      license: manifest.license ?? null,
      task_categories: manifest.task_categories ?? null,
      framework: manifest.framework ?? DEFAULT_FRAMEWORK,
      size_category: manifest.size_category ?? null,
    };
    return { listing, details: { ...details } };
  },
};
