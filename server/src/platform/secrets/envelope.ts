/**
 * Secrets at rest: each is encrypted with a key of its own, and that key is wrapped by one derived from the server's secret key. When the
 * secret key changes, only the small wrapped keys are rewritten.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface WrappedKey {
  /** Id of the secret key that wrapped it. */
  readonly key_id: string;
  readonly wrapped_key: Buffer;
}

export interface SealedSecret extends WrappedKey {
  readonly ciphertext: Buffer;
}

export interface Vault {
  /** @param owner binds the secret to its place: after a move to another row it does not open */
  seal(plaintext: string, owner: string): SealedSecret;
  open(sealed: SealedSecret, owner: string): string;
  /** Wraps the same data key with the current secret key. */
  rewrap(wrapped: WrappedKey, owner: string): WrappedKey;
  /** Id of the current secret key. */
  readonly keyId: string;
}

/** The secret was sealed with another secret key, or moved, or damaged. */
export class VaultError extends Error {}

/** @param otherKey opens secrets sealed with it; nothing is sealed with it here */
export function createVault(secretKey: string, otherKey?: string): Vault {
  const current = wrappingKeyOf(secretKey);
  const known = otherKey === undefined ? [current] : [current, wrappingKeyOf(otherKey)];

  const unwrap = ({ key_id, wrapped_key }: WrappedKey, owner: string) => {
    const wrapping = known.find(({ id }) => id === key_id);
    if (!wrapping) {
      throw new VaultError(
        'This secret was sealed with another DRYDOCK_SECRET_KEY; start the server with that one.',
      );
    }
    return decrypt(wrapping.key, wrapped_key, owner);
  };
  const wrap = (key: Buffer, owner: string) => ({
    key_id: current.id,
    wrapped_key: encrypt(current.key, key, owner),
  });

  return {
    keyId: current.id,
    seal(plaintext, owner) {
      const key = randomBytes(KEY_BYTES);
      return { ...wrap(key, owner), ciphertext: encrypt(key, Buffer.from(plaintext), owner) };
    },
    open(sealed, owner) {
      return decrypt(unwrap(sealed, owner), sealed.ciphertext, owner).toString();
    },
    rewrap(wrapped, owner) {
      return wrap(unwrap(wrapped, owner), owner);
    },
  };
}

function wrappingKeyOf(secretKey: string) {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'drydock secrets', KEY_BYTES));
  return { key, id: createHash('sha256').update(key).digest('hex').slice(0, 16) };
}

/** Consists of nonce, tag and ciphertext; the owner is authenticated with it. */
function encrypt(key: Buffer, plaintext: Buffer, owner: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function decrypt(key: Buffer, sealed: Buffer, owner: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new VaultError('This secret cannot be opened: it was moved or damaged.', { cause });
  }
}
