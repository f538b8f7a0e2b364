/** Signed statements: what the server said, recognised when it comes back. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What a statement is for; one made for a purpose is worthless for every other. */
export type Purpose = 'access-token' | 'cursor';

export interface Signer {
  sign(purpose: Purpose, statement: object): string;
  /** The statement, or undefined when it was not signed here. */
  open(purpose: Purpose, text: string): unknown;
}

/** @param otherKey also makes good signatures; nothing is signed with it here */
export function createSigner(secretKey: string, otherKey?: string): Signer {
  const current = macOf(secretKey);
  const known = otherKey === undefined ? [current] : [current, macOf(otherKey)];
  return {
    sign(purpose, statement) {
      const payload = Buffer.from(JSON.stringify(statement)).toString('base64url');
      return `${payload}.${current(purpose, payload).toString('base64url')}`;
    },
    open(purpose, text) {
      const [payload, signature, ...rest] = text.split('.');
      if (!payload || !signature || rest.length > 0) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const isGood = known.some((mac) => isEqual(mac(purpose, payload), given));
      return isGood ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined;
    },
  };
}

function macOf(secretKey: string) {
  const keys = new Map<Purpose, Buffer>();
  const keyFor = (purpose: Purpose) => {
    const known = keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', secretKey, '', `drydock ${purpose}`, 32));
    keys.set(purpose, key);
    return key;
  };
  return (purpose: Purpose, payload: string) =>
    createHmac('sha256', keyFor(purpose)).update(payload).digest();
}

const isEqual = (expected: Buffer, given: Buffer) =>
  given.length === expected.length && timingSafeEqual(given, expected);
