/**
 * How long a test waits for what it expects, where it does not say so itself: vitest's second is short on a machine
 * that does three things at once, and patience costs nothing where what is expected comes.
 */
export const PATIENCE_MS = 15_000;
