/** The data directory cannot be used as it is; the message says why and what to do. */
export class DataDirectoryError extends Error {}
