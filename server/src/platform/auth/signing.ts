/** Signed statements: texts that the server issues and verifies when they are presented again. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The purpose of a statement; a statement made for one purpose is invalid for every other. */
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
  /** A secret that only the key that signed the text can derive, or undefined when the text was not signed here. */
  findSecretOf(purpose: Purpose, text: string): Buffer | undefined;
  /** Derives such a secret for an unsigned text with every known key; that of the current key comes first. */
  secretsFor(purpose: Purpose, text: string): readonly Buffer[];
}

/** @param otherKey a key whose signatures are accepted too, but with which nothing is signed here */
export function createSigner(secretKey: string, otherKey?: string): Signer {
  const current = macOf(secretKey);
  const known = otherKey === undefined ? [current] : [current, macOf(otherKey)];
  const findMacOf = (purpose: Purpose, text: string) => {
    const [payload, signature, ...rest] = text.split('.');
    if (!payload || !signature || rest.length > 0) return undefined;
    // Compares the text, since many other spellings decode to the same bytes.
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

/** Secrets derive from a key of their own, so that no signature ever equals a secret. */
type KeyName = Purpose | `${Purpose} secret`;

function macOf(secretKey: string) {
  // Key objects are cached: creating one from bytes costs several times the MAC.
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
