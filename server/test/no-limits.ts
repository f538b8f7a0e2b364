/** Disables rate limits for servers under test: tests send more requests than users, and only tests of limits should meet one. */
export const NO_LIMITS = {
  DRYDOCK_RATE_LIMIT_READ: '0',
  DRYDOCK_RATE_LIMIT_WRITE: '0',
  DRYDOCK_RATE_LIMIT_INGEST: '0',
};
