/** `vi.waitFor` and `vi.waitUntil` have no setting for a default timeout as `expect.poll` has. Loaded once in each worker. */
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });
