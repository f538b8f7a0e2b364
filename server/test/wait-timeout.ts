/**
 * Timeout of tests that wait for an expected event. It limits a hang and does not assert anything: on a machine five times slower than
 * usual, the event takes seconds to arrive. Tests time out after 300 s, so the wait fails first and says what did not happen.
 */
export const WAIT_TIMEOUT_MS = 120_000;
