/** The concurrency of writes on both sides. */
export const SAVERS = 32;
export const APPENDERS = 2;
export const SESSIONS_PER_APPENDER = 4;
export const MESSAGES_PER_CALL = 100;
