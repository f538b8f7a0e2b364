/** Lifetimes that determine how long a client that was authorized before may still write. */

export const CREDENTIALS_SECONDS = 3_600;

/** The longest request that the gateway accepts: for the largest body over a slow connection. */
export const MAX_REQUEST_MS = 6 * 60 * 60_000;
