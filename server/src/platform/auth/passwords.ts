/** Stores passwords as scrypt digests with their parameters, so that the parameters can be raised without locking users out. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../errors.ts';

// 32 MiB and three passes: 280 to 440 ms of one core, depending on the machine.
const N = 2 ** 15;
const R = 8;
const P = 3;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Each takes a thread of the pool and 32 MiB; more at once would starve file and DNS work. */
const MAX_AT_ONCE = 2;
/** About three seconds of work; a later request is refused with 429 instead of waiting for all of them. */
const MAX_WAITING = 40;

const DUMMY = [
  'scrypt',
  N,
  R,
  P,
  randomBytes(SALT_BYTES).toString('base64url'),
  randomBytes(HASH_BYTES).toString('base64url'),
].join('$');

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await run(password, salt, N, R, P);
  return ['scrypt', N, R, P, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Takes as long for a user who does not exist (`stored` undefined) as for one who does. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, n, r, p, salt, hash] = (stored ?? DUMMY).split('$');
  const expected = Buffer.from(hash ?? '', 'base64url');
  const given = await run(password, Buffer.from(salt ?? '', 'base64url'), Number(n), Number(r), Number(p));
  return timingSafeEqual(given, expected) && stored !== undefined;
}

/**
 * Refuses the request when the queue of password checks is full. Callers check this before they count an attempt, which is why the
 * queue is not a `FairSemaphore`.
 */
export function requireRoom(): void {
  if (waiting.length < MAX_WAITING) return;
  const headers = { 'retry-after': '5' };
  throw new ApiError(
    'usage_limit_exceeded_error',
    'Too many passwords are being checked; try again shortly.',
    { headers },
  );
}

let running = 0;
const waiting: (() => void)[] = [];

async function run(password: string, salt: Buffer, n: number, r: number, p: number): Promise<Buffer> {
  requireRoom();
  if (running < MAX_AT_ONCE) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve)); // the slot is handed over below
  try {
    // Normalised, so that the same password typed on another keyboard matches.
    return await derive(password.normalize('NFKC'), salt, HASH_BYTES, { N: n, r, p, maxmem: 256 * n * r });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
