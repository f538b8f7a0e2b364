/** The best candidate of a job as files of the capability. */
import { readCapabilityTexts } from '../../evaluations/service.ts';
import { type CapabilityTexts, replaceComponents } from '../../platform/agent/capability-components.ts';
import type { CapabilityFile } from '../../platform/agent/capability-prompt.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { getStoredJob, type StoredRequest } from '../stored-job.ts';
import { listPromotions } from './progress.ts';
import { getJob, type Place } from './store.ts';

export async function getArtifacts(
  store: { readonly db: Db; readonly storage: ObjectStorage },
  scope: Place,
  given: string,
) {
  const { id, summary } = await getJob(store.db, scope, given);
  const ref = { organizationId: scope.organizationId, id };
  const { best_candidate } = summary;
  const { request } = await getStoredJob(store.db, ref);
  const texts = await readCapabilityTexts(store, request.capability);
  const files = best_candidate ? toFiles(texts, request, best_candidate) : [];
  return { artifacts: { best_candidate, files, promoted: await listPromotions(store.db, ref) } };
}

/** @returns no files where those of the capability were deleted */
function toFiles(
  texts: CapabilityTexts,
  { agent_name }: StoredRequest,
  candidate: Readonly<Record<string, string>>,
): CapabilityFile[] {
  const isGone = texts.agents.size === 0 && texts.skills.length === 0 && !texts.prompt;
  return isGone ? [] : replaceComponents(texts, agent_name, candidate);
}
