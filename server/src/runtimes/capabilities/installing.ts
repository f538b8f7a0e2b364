/** Installs, changes and removes capabilities: a change is stored and then applied to the sandbox, or rolled back if that fails. */
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { getCapability, getOtherVersion } from '../../registry/service.ts';
import { getOwnTarget } from '../lookup.ts';
import type { RuntimeOperator, Target } from '../operator.ts';
import { type BindingRow, bindingNotFound, type Flags, getBinding, toBinding } from './bindings.ts';
import {
  addBinding,
  type BindingState,
  isUnchanged,
  lockForChange,
  lockRuntime,
  removeBinding,
  writeBinding,
} from './changes.ts';
import type { BindingOf, BindingUpdate, InstallRequest } from './schema.ts';

export interface Installing {
  readonly db: Db;
  readonly operator: Pick<RuntimeOperator, 'setCapabilities'>;
}

export async function installCapability(
  { db, operator }: Installing,
  scope: WorkspaceScope,
  runtime: string,
  { name, version }: InstallRequest,
): Promise<BindingOf> {
  const target = await getOwnTarget(db, scope, runtime);
  const chosen = await getCapability(db, scope, name, version);
  const { id, isLive } = await transactionFor(db, scope, async (trx) => {
    const isLiveNow = await lockForChange(trx, target);
    return { id: await addBinding(trx, target, chosen), isLive: isLiveNow };
  });
  await showOrUndo({ db, operator }, target, isLive, (trx) => removeBinding(trx, target, id));
  return toBinding(scope, await getBinding(db, scope, target.runtimeId, id));
}

/** Rolls the change back if the sandbox cannot apply it. */
async function showOrUndo(
  { db, operator }: Installing,
  target: Target,
  isLive: boolean,
  undo: (trx: Trx) => Promise<unknown>,
): Promise<void> {
  if (!isLive) return;
  try {
    await operator.setCapabilities(target);
  } catch (error) {
    await transaction(db, async (trx) => {
      await lockForChange(trx, target);
      await undo(trx);
    });
    throw error;
  }
}

export async function updateBinding(
  { db, operator }: Installing,
  scope: WorkspaceScope,
  { target, id }: { readonly target: Target; readonly id: string },
  update: BindingUpdate,
): Promise<BindingOf> {
  const { before, state, isLive, changedAt } = await transactionFor(db, scope, async (trx) => {
    await lockRuntime(trx, target);
    const row = await getBinding(trx, scope, target.runtimeId, id);
    const wanted = await toState(trx, scope, row, update);
    if (isSame(row, wanted)) return { before: row, state: wanted, isLive: false, changedAt: '' };
    const isLiveNow = await lockForChange(trx, target);
    const at = await writeBinding(trx, target, row, wanted);
    return { before: row, state: wanted, isLive: isLiveNow, changedAt: at };
  });
  const was = { ...before, versionId: before.version_id };
  // Changes that others made in the meantime are kept.
  const undo = async (trx: Trx) =>
    (await isUnchanged(trx, target, id, changedAt)) &&
    (await writeBinding(trx, target, { ...before, ...state }, was));
  await showOrUndo({ db, operator }, target, isLive, undo);
  return toBinding(scope, await getBinding(db, scope, target.runtimeId, id));
}

async function toState(
  db: Db,
  scope: WorkspaceScope,
  row: BindingRow,
  { enabled, flags, version }: BindingUpdate,
): Promise<BindingState> {
  const { owner_id: ownerId, artifact_id: artifactId, capability_name: name } = row;
  const chosen =
    version && version !== row.version
      ? await getOtherVersion(db, scope, { ownerId, artifactId, name }, version)
      : { versionId: row.version_id, version: row.version, flags: row.default_flags ?? row.flags };
  requireFlags(`${name}@${chosen.version}`, flags ?? {}, chosen.flags);
  return {
    versionId: chosen.versionId,
    version: chosen.version,
    enabled: enabled ?? row.enabled,
    flags: onlyKnown({ ...row.flags, ...flags }, chosen.flags),
  };
}

/** Drops flags that the installed version does not have. */
export const onlyKnown = (flags: Flags, known: Flags): Flags =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => Object.hasOwn(known, name)));

function requireFlags(capability: string, given: Flags, known: Flags): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  const names = Object.keys(known);
  const has =
    names.length > 0 ? `Its flags are ${names.map((name) => `"${name}"`).join(', ')}.` : 'It has none.';
  throw new ApiError('invalid_flag_error', `"${unknown[0]}" is not a flag of ${capability}. ${has}`, {
    issues: unknown.map((name) => ({
      loc: ['body', 'flags', name],
      msg: 'is not a flag of this capability',
      type: 'invalid_flag',
    })),
  });
}

const isSame = (row: BindingRow, { versionId, enabled, flags }: BindingState) =>
  row.version_id === versionId &&
  row.enabled === enabled &&
  JSON.stringify(sorted(row.flags)) === JSON.stringify(sorted(flags));

const sorted = (flags: Flags) => Object.entries(flags).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The capability is removed even if the sandbox could not apply that yet: its host retries. */
export async function uninstallCapability(
  { db, operator }: Installing,
  { target, id }: { readonly target: Target; readonly id: string },
): Promise<void> {
  const isLive = await transactionFor(db, target, async (trx) => {
    const isLiveNow = await lockForChange(trx, target);
    if (!(await removeBinding(trx, target, id))) throw bindingNotFound(id);
    return isLiveNow;
  });
  if (isLive) await operator.setCapabilities(target);
}
