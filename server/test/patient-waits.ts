/** `vi.waitFor` and `vi.waitUntil` have no setting for a default timeout as `expect.poll` has. Loaded once in each worker. */
import { vi } from 'vitest';
import { WAIT_TIMEOUT_MS } from './wait-timeout.ts';

const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: WAIT_TIMEOUT_MS, ...options });
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { timeout: WAIT_TIMEOUT_MS, ...options });
