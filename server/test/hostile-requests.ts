/** Combines all requests that must be refused before they reach an object, each with the code of its refusal. */
import { HOSTILE_LINKS, HOSTILE_SESSIONS } from './hostile-links.ts';
import { HOSTILE_PAYLOADS } from './hostile-payloads.ts';
import { HOSTILE_SIGNATURES } from './hostile-signatures.ts';
import type { HostileRequest } from './hostile-world.ts';

export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...HOSTILE_SIGNATURES,
  ...HOSTILE_SESSIONS,
  ...HOSTILE_LINKS,
  ...HOSTILE_PAYLOADS,
];
