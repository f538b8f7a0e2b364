/** For how long something may still be written by someone who was let in before. */

export const CREDENTIALS_SECONDS = 3_600;

/** The longest request that the gateway takes: for the largest body through a slow line. */
export const MAX_REQUEST_MS = 6 * 60 * 60_000;
