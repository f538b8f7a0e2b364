/** The registry for other domains: references, visibility, tasks and capabilities with their files, and publishing from code. */
import type { LocalFiles } from '../platform/analytics/local-files.ts';
import type { OrgScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { ApiError } from '../platform/errors.ts';
import type { LineageParent } from '../platform/lineage/lineage.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import { datasetExaminer } from './datasets/examine.ts';
import type { Kind } from './kinds.ts';
import { kindsOfArtifact } from './manifests/kinds-of-artifact.ts';
import { type NewFile, publishFiles } from './publish/publish-bundle.ts';

export { listChangedFiles, listPublishedVersions } from './artifacts/published-versions.ts';
export { UpdateVisibilityRequest, UpdateVisibilityResponse } from './artifacts/schema.ts';
export { setInCatalogue } from './catalogue.ts';
export {
  type DatasetRow,
  type DatasetStore,
  type FoundSplit,
  findSplit,
  readSplit,
} from './datasets/read-dataset.ts';
export {
  type ChosenVersion as ChosenCapability,
  type FoundTask,
  findNewestRelease,
  findTasks,
  getCapability,
  getDigest,
  getModelVersion,
  getOtherVersion,
  getTask,
  getVersion,
  type InstalledVersion,
  installedOf,
  listFiles,
  readFiles,
  shownName,
} from './installed.ts';
export type { AttackVerification, TaskDetails } from './manifests/task.ts';
export { listTrainableModels } from './models/trainable.ts';
export { pinVersions, unpinVersions } from './pins.ts';
export type { NewFile } from './publish/publish-bundle.ts';
/** Naming rules of artifacts and of what is made from them. */
export { ArtifactName, parsePlace, parseReference, type Reference } from './references.ts';
export { type Resolution, resolutionOf, resolveReferences } from './resolve.ts';
export { isPrerelease, precedenceOf, SemVer } from './version.ts';
export { isShared } from './visibility.ts';

export interface PublishStore {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: LocalFiles;
}

export interface NewVersion {
  readonly kind: Kind;
  readonly name: string;
  readonly version: string;
  /** The files include the manifest, such as `task.yaml`. */
  readonly files: readonly NewFile[];
  /** Parents that the version was made from, recorded in the transaction that publishes it. */
  readonly lineage?: readonly LineageParent[];
}

/**
 * Publishes a version from code. Publishing the same content again changes nothing, so a job may repeat it.
 * @param getScope returns the scope of the user on whose behalf it is published; called again before the version is stored, since
 * permissions may be lost in between
 * @returns whether the version is new
 * @throws {ApiError} `validation_error` for an invalid manifest or path, `already_exists_error` for a version with other content,
 * `forbidden_error` when the permissions are lost
 */
export async function publishVersion(
  { db, storage, local }: PublishStore,
  getScope: () => Promise<OrgScope>,
  { kind, files, lineage, ...as }: NewVersion,
  signal: AbortSignal,
): Promise<boolean> {
  const reader = kindsOfArtifact(datasetExaminer(local)).find((one) => one.kind === kind);
  if (!reader) throw new Error(`There is no kind of artifact "${kind}".`);
  const requireMember = async () => {
    signal.throwIfAborted();
    const scope = await getScope();
    if (scope.role !== null) return scope;
    throw new ApiError('forbidden_error', 'Only members of an organization publish in it.');
  };
  const call = { scope: await requireMember(), as, files, lineage, stillAllowed: requireMember, signal };
  return publishFiles({ db, storage }, reader, call);
}
