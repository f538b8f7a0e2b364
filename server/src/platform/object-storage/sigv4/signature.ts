/** Signature version 4: signing keys for a day, region and service, and signatures made with them. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { sha256Hex } from './canonical-request.ts';

export const ALGORITHM = 'AWS4-HMAC-SHA256';
/** A presigned URL is valid for at most a week. */
export const MAX_PRESIGNED_SECONDS = 604_800;

/** Scope of a signing key. */
export interface CredentialScope {
  /** Date in the form YYYYMMDD. */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

export function toScopeText({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`;
}

/** @returns the time in the form YYYYMMDDThhmmssZ */
export function toAmzDate(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

const AMZ_DATE = /^\d{4}(0[1-9]|1[0-2])[0-3]\dT([01]\d|2[0-3])[0-5]\d[0-5]\dZ$/;

/** @returns undefined for an invalid date */
export function findMilliseconds(amzDate: string): number | undefined {
  if (!AMZ_DATE.test(amzDate)) return undefined;
  const number = (start: number, end: number) => Number(amzDate.slice(start, end));
  const day = Date.UTC(number(0, 4), number(4, 6) - 1, number(6, 8));
  if (new Date(day).getUTCDate() !== number(6, 8)) return undefined;
  return day + number(9, 11) * 3_600_000 + number(11, 13) * 60_000 + number(13, 15) * 1000;
}

export function toStringToSign(amzDate: string, scope: CredentialScope, canonicalText: string): string {
  return `${ALGORITHM}\n${amzDate}\n${toScopeText(scope)}\n${sha256Hex(canonicalText)}`;
}

/** @returns the signature in hexadecimal */
export function sign(signingKey: KeyObject, stringToSign: string): string {
  return createHmac('sha256', signingKey).update(stringToSign, 'latin1').digest('hex');
}

const MAX_KEYS = 1000;
const keys = new Map<string, KeyObject>();

/**
 * Cached, because four of the five HMACs of a signature stay the same all day; stored as a key object, because creating one from bytes
 * costs several times the fifth HMAC.
 */
export function signingKeyFor(secretAccessKey: string, scope: CredentialScope): KeyObject {
  const name = `${toScopeText(scope)}/${secretAccessKey}`;
  const known = keys.get(name);
  if (known) return known;
  const bytes = [scope.region, scope.service, 'aws4_request'].reduce(
    (key, part) => hmac(key, part),
    hmac(`AWS4${secretAccessKey}`, scope.date),
  );
  const key = createSecretKey(bytes);
  const [oldest] = keys.keys();
  if (keys.size >= MAX_KEYS && oldest !== undefined) keys.delete(oldest);
  keys.set(name, key);
  return key;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
