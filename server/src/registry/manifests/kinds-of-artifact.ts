/** All kinds of artifact that can be published, with their manifests. */
import type { DatasetExaminer } from '../datasets/examine.ts';
import { capabilityKind } from './capability.ts';
import { datasetKind } from './dataset.ts';
import { modelKind } from './model.ts';
import { type ManifestReader, manifestReader } from './read-manifest.ts';
import { taskKind } from './task.ts';

export function kindsOfArtifact(examineSplits: DatasetExaminer): readonly ManifestReader[] {
  return [
    manifestReader(datasetKind(examineSplits)),
    manifestReader(modelKind),
    manifestReader(taskKind),
    manifestReader(capabilityKind),
  ];
}
