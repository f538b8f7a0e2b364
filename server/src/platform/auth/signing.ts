/** Signed statements: what the server said, recognised when it comes back. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What a statement is for; one made for a purpose is worthless for every other. */
export type Purpose = 'access-token' | 'cursor';

export interface Signer {
  sign(purpose: Purpose, statement: object): string;
  /** The statement, or undefined when it was not signed here. */
  open(purpose: Purpose, text: string): unknown;
}

export function createSigner(secretKey: string): Signer {
  const keys = new Map<Purpose, Buffer>();
  const keyFor = (purpose: Purpose) => {
    const known = keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', secretKey, '', `drydock ${purpose}`, 32));
    keys.set(purpose, key);
    return key;
  };
  const mac = (purpose: Purpose, payload: string) =>
    createHmac('sha256', keyFor(purpose)).update(payload).digest();

  return {
    sign(purpose, statement) {
      const payload = Buffer.from(JSON.stringify(statement)).toString('base64url');
      return `${payload}.${mac(purpose, payload).toString('base64url')}`;
    },
    open(purpose, text) {
      const [payload, signature, ...rest] = text.split('.');
      if (!payload || !signature || rest.length > 0) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const expected = mac(purpose, payload);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      return JSON.parse(Buffer.from(payload, 'base64url').toString());
    },
  };
}
