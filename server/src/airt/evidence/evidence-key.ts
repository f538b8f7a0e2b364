/** The key that signs evidence: derived from the secret key, so that every process has the same one and none is stored. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Signer } from '../../platform/auth/signing.ts';

export interface EvidenceKey {
  /** PEM. */
  readonly publicKey: string;
  /** SHA-256 of the public key in DER, such as `sha256:9f…`. */
  readonly fingerprint: string;
  /** Ed25519, 64 bytes. */
  sign(bytes: Uint8Array): Buffer;
}

/** PKCS #8 around the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A change of the secret key changes this one as well; archives carry the public key that they were signed with. */
export function deriveEvidenceKey(signer: Pick<Signer, 'secretsFor'>): EvidenceKey {
  const [seed] = signer.secretsFor('evidence', 'ed25519');
  if (seed?.length !== 32) throw new Error('the signer derives secrets of 32 bytes');
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    fingerprint: `sha256:${createHash('sha256').update(der).digest('hex')}`,
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}
