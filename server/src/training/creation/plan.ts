/** Checks a request and resolves its references, so that a job that cannot run is rejected before it is stored. */
import { findProjectId } from '../../accounts/service.ts';
import { readCapabilityTexts } from '../../evaluations/service.ts';
import type { CapabilityTexts } from '../../platform/agent/capability-components.ts';
import { parseAgentFile } from '../../platform/agent/capability-prompt.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { type DatasetStore, getCapability, getDigest } from '../../registry/service.ts';
import { type TrainingConfigOf, toEffectiveConfig } from '../config-schema.ts';
import type { StoredRequest } from '../stored-job.ts';
import { type BaseModel, findBaseModel } from './base-model.ts';
import { type FoundDataset, findDataset, listWanted } from './datasets.ts';
import type { CreateRequest } from './schema.ts';

export interface JobPlan {
  readonly stored: StoredRequest;
  readonly projectId: string | null;
  readonly base: BaseModel | undefined;
  readonly datasets: readonly FoundDataset[];
}

/** @throws {ApiError} `validation_error` */
export async function planJob(
  store: DatasetStore,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<JobPlan> {
  const { db } = store;
  const { project_ref, config } = request;
  const projectId = project_ref ? await findProjectId(db, scope, project_ref) : null;
  if (projectId === undefined)
    throw invalidValue(['body', 'project_ref'], 'names no project of this workspace');
  const capability = await findCapability(store, scope, request);
  const datasets: FoundDataset[] = [];
  for (const wanted of listWanted(config)) datasets.push(await findDataset(store, scope, wanted, signal));
  const needsTemplate = datasets.some(({ hasMessages }) => hasMessages);
  const base = await findBaseModel(store, scope, request.model, needsTemplate);
  const refOf = (role: string) => datasets.filter(({ stored }) => stored.role === role).map(({ ref }) => ref);
  const stored: StoredRequest = {
    config: toSentConfig(config),
    effective: toEffectiveConfig(config),
    ...capability,
    base: base ? toPin(base) : null,
    datasets: datasets.map((dataset) => dataset.stored),
    dataset_ref: refOf('train')[0] ?? null,
    trajectory_dataset_refs: refOf('trajectories'),
    run_ref: request.run_ref ?? null,
  };
  return { stored: toStorable(stored), projectId, base, datasets };
}

const toPin = ({ ownerId, versionId, name, version, digest }: BaseModel) => ({
  ownerId,
  versionId,
  name,
  version,
  digest,
});

/** Omits fields that were not sent. */
const toSentConfig = (config: TrainingConfigOf) =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));

async function findCapability(store: DatasetStore, scope: WorkspaceScope, { capability_ref }: CreateRequest) {
  const { name, version } = capability_ref;
  const chosen = await getCapability(store.db, scope, name, version).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue(['body', 'capability_ref'], error.message);
  });
  const texts = await readCapabilityTexts(store, chosen);
  const digest = await getDigest(store.db, chosen);
  return { capability: { ...chosen, digest }, system_prompt: toScaffold(texts) };
}

/** @returns the prompt of the only agent with that of the capability, or the latter alone; null where there is neither */
function toScaffold({ agents, prompt }: CapabilityTexts): string | null {
  const [agent, ...others] = agents.values();
  const own = agent && others.length === 0 ? parseAgentFile(agent.text).prompt : '';
  const parts = [own, prompt?.text.trim() ?? ''].filter((part) => part !== '');
  return parts.join('\n\n') || null;
}
