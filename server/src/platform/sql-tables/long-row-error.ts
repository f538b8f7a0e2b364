/** A row exceeds the maximum length of its reader. */
export class LongRowError extends Error {
  constructor() {
    super('A row is longer than 32 MiB.');
  }
}
