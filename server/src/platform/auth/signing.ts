/** Signed statements: what the server said, recognised when it comes back. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** What a statement is for; one made for a purpose is worthless for every other. */
export type Purpose =
  | 'access-token'
  | 'cursor'
  | 'evidence'
  | 'host-request'
  | 'sandbox-request'
  | 'storage-key'
  | 'storage-session';

export interface Signer {
  sign(purpose: Purpose, statement: object): string;
  /** The statement, or undefined when it was not signed here. */
  open(purpose: Purpose, text: string): unknown;
  /** What only the key that signed the text can tell of it, or undefined when it was not signed here. */
  findSecretOf(purpose: Purpose, text: string): Buffer | undefined;
  /** The same of a text that nobody has to sign, by every known key; that of the current key comes first. */
  secretsFor(purpose: Purpose, text: string): readonly Buffer[];
}

/** @param otherKey also makes good signatures; nothing is signed with it here */
export function createSigner(secretKey: string, otherKey?: string): Signer {
  const current = macOf(secretKey);
  const known = otherKey === undefined ? [current] : [current, macOf(otherKey)];
  const findMacOf = (purpose: Purpose, text: string) => {
    const [payload, signature, ...rest] = text.split('.');
    if (!payload || !signature || rest.length > 0) return undefined;
    // As text: of other spellings of the same bytes there are many.
    const given = Buffer.from(signature);
    return known.find((mac) => isEqual(Buffer.from(mac(purpose, payload).toString('base64url')), given));
  };
  return {
    sign(purpose, statement) {
      const payload = Buffer.from(JSON.stringify(statement)).toString('base64url');
      return `${payload}.${current(purpose, payload).toString('base64url')}`;
    },
    open(purpose, text) {
      if (!findMacOf(purpose, text)) return undefined;
      return JSON.parse(Buffer.from(text.slice(0, text.indexOf('.')), 'base64url').toString());
    },
    findSecretOf: (purpose, text) => findMacOf(purpose, text)?.(`${purpose} secret`, text),
    secretsFor: (purpose, text) => known.map((mac) => mac(`${purpose} secret`, text)),
  };
}

/** A secret has a key of its own, so that no signature ever is one. */
type KeyName = Purpose | `${Purpose} secret`;

function macOf(secretKey: string) {
  // As objects: to make one of bytes anew costs several times the MAC.
  const keys = new Map<KeyName, KeyObject>();
  const keyFor = (purpose: KeyName) => {
    const known = keys.get(purpose);
    if (known) return known;
    const bytes = hkdfSync('sha256', secretKey, '', `drydock ${purpose}`, 32);
    const key = createSecretKey(new Uint8Array(bytes));
    keys.set(purpose, key);
    return key;
  };
  return (purpose: KeyName, payload: string) =>
    createHmac('sha256', keyFor(purpose)).update(payload).digest();
}

const isEqual = (expected: Buffer, given: Buffer) =>
  given.length === expected.length && timingSafeEqual(given, expected);
