/** For servers under test: they are asked more often than people ask, and only a test of limits means to meet one. */
export const NO_LIMITS = {
  DRYDOCK_RATE_LIMIT_READ: '0',
  DRYDOCK_RATE_LIMIT_WRITE: '0',
  DRYDOCK_RATE_LIMIT_INGEST: '0',
};
