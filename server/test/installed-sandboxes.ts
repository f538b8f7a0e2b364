/** Tests that need sandboxes are skipped where those cannot be had; a provider that is broken must not look like that. */
import { existsSync } from 'node:fs';
import type { ProviderReport } from '../src/platform/sandbox/sandbox-provider.ts';

const PROGRAMS = ['bwrap', 'tini', 'socat'];

/** @throws where root has all that it takes, and still has none */
export function requireWhereInstalled({ available, reason }: ProviderReport): void {
  if (available || process.getuid?.() !== 0) return;
  if (PROGRAMS.every((name) => existsSync(`/usr/bin/${name}`)))
    throw new Error(`All that sandboxes are made of is installed, and there are none: ${reason}`);
}
