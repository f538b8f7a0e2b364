/**
 * Capabilities of a disk: two volumes that are read-only in its sandboxes, links as /capabilities and the versions that the links lead to.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '../../../errors.ts';
import type { CapabilityFolder } from '../../sandbox-provider.ts';
import type { ContainerToolkit } from '../container-toolkit.ts';
import type { RunningContainer } from '../running-container.ts';
import { EngineCapabilityStore } from './engine-store.ts';
import { FolderCapabilityStore } from './folder-store.ts';
import { type CapabilityStore, STAGING } from './store-change.ts';

const NAME = /^[A-Za-z0-9][\w.-]*$/;

export async function showCapabilities(
  toolkit: ContainerToolkit,
  sandbox: RunningContainer,
  folders: readonly CapabilityFolder[],
  bindings: string,
  signal: AbortSignal,
): Promise<void> {
  checkNames(folders);
  const state = toState(folders, bindings);
  const store = await openStore(toolkit, sandbox);
  if (await store.isThere(`${STAGING}/${state}`)) return;
  const stored = await Promise.all(folders.map(({ digest }) => store.isThere(digest)));
  const digests = new Set<string>();
  const missing = folders.filter(({ digest }, index) => {
    if (stored[index] || digests.has(digest)) return false;
    digests.add(digest);
    return true;
  });
  signal.throwIfAborted();
  const change = { state, sandboxId: sandbox.id, folders, missing, bindings, signal };
  const { code, text } = await store.change(change).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  if (code === 0) return;
  const detail = `The capabilities could not be put in place: ${text.trim().slice(-300)}`;
  throw new ApiError('sandbox_provider_error', detail);
}

async function openStore(
  { engine, ownership, volumes, image }: ContainerToolkit,
  sandbox: RunningContainer,
): Promise<CapabilityStore> {
  const isHere = engine.isLocal && volumes !== undefined;
  const found = isHere ? await FolderCapabilityStore.open(engine, ownership, sandbox.diskId) : undefined;
  return found ?? new EngineCapabilityStore(engine, ownership, sandbox, (await image(true)).name);
}

/** A capability and an owner of capabilities may have the same name, which would need the same path. */
function checkNames(folders: readonly CapabilityFolder[]): void {
  const paths = new Set(folders.map(({ path }) => path));
  for (const { path, digest } of folders) {
    const names = path.split('/');
    const areNames = names.length <= 2 && [...names, digest].every((name) => NAME.test(name));
    if (!areNames || path === 'bindings.json' || digest === STAGING)
      throw new ApiError('sandbox_provider_error', `${path} is not a valid path for a capability.`);
    const owner = names[0] ?? '';
    if (names.length > 1 && paths.has(owner)) {
      const detail = `The capabilities ${owner} and ${path} cannot be shown together: one would lie in the other. Remove one of them.`;
      throw new ApiError('conflict_error', detail);
    }
  }
}

function toState(folders: readonly CapabilityFolder[], bindings: string): string {
  const all = folders.map(({ path, digest }) => `${path} ${digest}`).toSorted();
  const text = JSON.stringify([all, bindings]);
  return `state-${createHash('sha256').update(text).digest('hex')}`;
}
