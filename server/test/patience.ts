/**
 * The time that tests wait for something they expect. It bounds a hang and does not assert anything: on a machine five times
 * slower than usual, what is expected takes seconds to come. Tests time out after 300 s, so the wait fails first and
 * says what did not happen.
 */
export const PATIENCE_MS = 120_000;
