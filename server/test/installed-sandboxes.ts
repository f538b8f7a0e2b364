/** Tests that need sandboxes are skipped if sandboxes are not available; a broken provider must not look like that. */
import { existsSync } from 'node:fs';
import type { ProviderReport } from '../src/platform/sandbox/sandbox-provider.ts';

const PROGRAMS = ['bwrap', 'tini', 'socat'];

/** @throws if all requirements are installed for root, but sandboxes still do not work */
export function requireWhereInstalled({ available, reason }: ProviderReport): void {
  if (available || process.getuid?.() !== 0) return;
  if (PROGRAMS.every((name) => existsSync(`/usr/bin/${name}`)))
    throw new Error(`All that sandboxes are made of is installed, and there are none: ${reason}`);
}
