/** Finds the model that a job starts from, and checks that a trainer can start from it. */
import { text } from 'node:stream/consumers';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { getDigest, getModelVersion, listFiles, parseReference } from '../../registry/service.ts';
import type { PinnedArtifact } from '../stored-job.ts';

interface Store {
  readonly db: Db;
  readonly storage: ObjectStorage;
}

export interface BaseModel extends PinnedArtifact {
  readonly sizeBytes: number;
}

const LOC = ['body', 'model'];
const MAX_TOKENIZER_CONFIG_BYTES = 8 * 1024 * 1024;

/**
 * @returns undefined for a text that is not a reference of the registry with a version: a trainer decides whether it has such a model
 * @throws {ApiError} `validation_error` for a version that does not exist, or that cannot be trained
 */
export async function findBaseModel(
  store: Store,
  scope: WorkspaceScope,
  model: string,
  needsTemplate: boolean,
): Promise<BaseModel | undefined> {
  const reference = model.includes('@') ? parseReference(model) : undefined;
  if (!reference) return undefined;
  const { owner, name: own, version: wanted } = reference;
  const name = owner === undefined ? own : `${owner}/${own}`;
  const chosen = await getModelVersion(store.db, scope, name, wanted).catch((error: unknown) => {
    if (error instanceof ApiError && error.type === 'not_found_error') throw invalidValue(LOC, error.message);
    throw error;
  });
  const files = await listFiles(store.db, chosen);
  const paths = new Set(files.map(({ path }) => path));
  if (paths.has('adapter_config.json'))
    throw invalidValue(
      LOC,
      `${model} is an adapter; use its base model, which base_model in its model.yaml names`,
    );
  if (!paths.has('config.json'))
    throw invalidValue(LOC, `${model} has no config.json, which names its architecture; publish it with one`);
  if (!files.some(({ path }) => /^[^/]+\.safetensors$/.test(path)))
    throw invalidValue(LOC, `${model} has no weights (.safetensors); publish it with them`);
  if (!paths.has('tokenizer.json') && !paths.has('tokenizer_config.json'))
    throw invalidValue(LOC, `${model} has no tokenizer.json; publish it with its tokenizer`);
  if (needsTemplate && !(await hasTemplate(store.storage, files)))
    throw invalidValue(
      LOC,
      `${model} has no chat template, which rows of messages need; add chat_template.jinja, or use rows of text`,
    );
  const digest = await getDigest(store.db, chosen);
  const { ownerId, versionId, version } = chosen;
  const sizeBytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return { ownerId, versionId, name: chosen.name, version, digest, sizeBytes };
}

async function hasTemplate(
  storage: ObjectStorage,
  files: Awaited<ReturnType<typeof listFiles>>,
): Promise<boolean> {
  if (files.some(({ path }) => path === 'chat_template.jinja')) return true;
  const config = files.find(({ path }) => path === 'tokenizer_config.json');
  if (!config || config.size_bytes > MAX_TOKENIZER_CONFIG_BYTES) return false;
  const opened = await storage.open(config.object_key);
  if (!opened) return false;
  try {
    const { chat_template } = JSON.parse(await text(opened.body)) as { chat_template?: unknown };
    return chat_template !== undefined && chat_template !== null && chat_template !== '';
  } catch {
    return false;
  }
}
