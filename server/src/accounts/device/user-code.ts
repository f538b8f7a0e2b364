/** The short code that a user reads on one screen and types on another. */
import { randomInt } from 'node:crypto';

/** Consonants only: none resembles a digit, and no words appear by accident. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export const showUserCode = (code: string) => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

/** Normalizes typed input to the stored form; text that is not a code stays invalid. */
export const readUserCode = (typed: string) => typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
