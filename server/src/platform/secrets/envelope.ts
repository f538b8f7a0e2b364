/**
 * Secrets at rest: each under a key of its own, that key wrapped by one derived from the server's secret key.
 * When the secret key changes, only the small wrapped keys are written anew.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SealedSecret {
  /** Which secret key wrapped it. */
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly ciphertext: Buffer;
}

export interface Vault {
  /** @param owner binds the secret to its place: moved to another row it does not open */
  seal(plaintext: string, owner: string): SealedSecret;
  open(sealed: SealedSecret, owner: string): string;
  /** The same secret under this vault's key; `from` is the vault of the key before. */
  rewrap(sealed: SealedSecret, owner: string, from: Vault): SealedSecret;
  readonly keyId: string;
  unwrap(sealed: SealedSecret, owner: string): Buffer;
}

/** The secret was sealed with another secret key, or moved, or damaged. */
export class VaultError extends Error {}

export function createVault(secretKey: string): Vault {
  const wrappingKey = Buffer.from(hkdfSync('sha256', secretKey, '', 'drydock secrets', KEY_BYTES));
  const keyId = createHash('sha256').update(wrappingKey).digest('hex').slice(0, 16);

  const unwrap = (sealed: SealedSecret, owner: string) => {
    if (sealed.key_id !== keyId) {
      throw new VaultError(
        'This secret was sealed with another DRYDOCK_SECRET_KEY; start the server with that one.',
      );
    }
    return decrypt(wrappingKey, sealed.wrapped_key, owner);
  };
  const wrap = (key: Buffer, owner: string) => ({
    key_id: keyId,
    wrapped_key: encrypt(wrappingKey, key, owner),
  });

  return {
    keyId,
    unwrap,
    seal(plaintext, owner) {
      const key = randomBytes(KEY_BYTES);
      return { ...wrap(key, owner), ciphertext: encrypt(key, Buffer.from(plaintext), owner) };
    },
    open(sealed, owner) {
      return decrypt(unwrap(sealed, owner), sealed.ciphertext, owner).toString();
    },
    rewrap(sealed, owner, from) {
      return { ...wrap(from.unwrap(sealed, owner), owner), ciphertext: sealed.ciphertext };
    },
  };
}

/** nonce, tag, then the text; the owner is authenticated with it. */
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
