/** The short code that a person reads from one screen and types at another. */
import { randomInt } from 'node:crypto';

/** Consonants: nothing that is mistaken for a digit, and no words by accident. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export const showUserCode = (code: string) => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

/** What was typed, as it is stored; a text that is no code stays none. */
export const readUserCode = (typed: string) => typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
