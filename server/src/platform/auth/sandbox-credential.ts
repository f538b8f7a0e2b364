/** The credential with which a host's relay forwards the requests of a sandbox. Programs in the sandbox never see it. */
import type { Signer } from './signing.ts';

const PREFIX = 'sandbox:';

export const toSandboxCredential = (signer: Signer, sandboxId: string) =>
  PREFIX + signer.sign('sandbox-request', { sandbox: sandboxId });

/** @returns the id of the sandbox; undefined for every other credential */
export function openSandboxCredential(signer: Signer, credential: string): string | undefined {
  if (!credential.startsWith(PREFIX)) return undefined;
  const statement = signer.open('sandbox-request', credential.slice(PREFIX.length));
  return (statement as { readonly sandbox: string } | undefined)?.sandbox;
}
