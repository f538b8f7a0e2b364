/** Loads what running something of a capability requires: that the runtime runs and belongs to the caller, and the binding. */
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import { getRunning } from '../exec/running.ts';
import type { SandboxPlace, Target } from '../operator.ts';
import { explainRefusal } from '../transitions.ts';
import { getBinding } from './bindings.ts';

export type UsedBinding = Awaited<ReturnType<typeof getUsedBinding>>;

export interface BindingPath {
  readonly runtime: string;
  readonly binding_id: string;
}

/**
 * @throws {ApiError} 403 for callers that do not own the runtime, 404 if the capability is not installed, 409 if the runtime does not run
 * or the capability is disabled
 */
export async function getUsedBinding(db: Db, scope: WorkspaceScope, { runtime, binding_id }: BindingPath) {
  const { target, place } = await getRunning(db, scope, runtime);
  const binding = await getBinding(db, scope, target.runtimeId, binding_id);
  return { binding, target, place: await requirePlace(db, target, place, binding) };
}

async function requirePlace(
  db: Db,
  target: Target,
  place: SandboxPlace | undefined,
  { enabled, capability_name }: { readonly enabled: boolean; readonly capability_name: string },
): Promise<SandboxPlace> {
  if (!place) throw await explainRefusal(db, target, 'exec');
  if (!enabled) {
    const detail = `"${capability_name}" is disabled in this runtime; enable it with a PATCH of its binding.`;
    throw new ApiError('conflict_error', detail);
  }
  return place;
}
