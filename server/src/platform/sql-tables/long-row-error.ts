/** A row is longer than what reads it can hold. */
export class LongRowError extends Error {
  constructor() {
    super('A row is longer than 32 MiB.');
  }
}
