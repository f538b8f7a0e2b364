import { createHash, randomBytes } from 'node:crypto';

/** 30 random bytes are 40 url-safe characters. */
const TOKEN_BYTES = 30;

export const apiKeyPattern = /^dd_[A-Za-z0-9_-]{40}$/;

export const newApiKey = () => toApiKey(randomBytes(TOKEN_BYTES));

/** @param bytes 30 random bytes */
export const toApiKey = (bytes: Buffer) => `dd_${bytes.toString('base64url')}`;

export const newRefreshToken = () => `ddr_${randomBytes(TOKEN_BYTES).toString('base64url')}`;

export const newDeviceCode = () => `ddc_${randomBytes(TOKEN_BYTES).toString('base64url')}`;

/** The digest of a token, which is stored instead of it. A token is 30 random bytes, so a plain digest cannot be reversed. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export const maskKey = (key: string) => `${key.slice(0, 7)}…${key.slice(-4)}`;
