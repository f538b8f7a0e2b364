/** What is asked for, the same of both servers. */
export const NO_STORE_PATH =
  '/api/v1/org/main/ws/main/bench/first-item?limit=20&page=2&is_active=true&order=desc&tag=red&tag=blue';
export const ONE_ROW_PATH = '/api/v1/org/main/ws/main/projects/default';

/** Where a server answers each of them. */
export interface Origins {
  readonly noStore: string;
  readonly oneRow: string;
}

/** Where a server gives out the two samples of `storage.ts`. */
export interface SampleAddresses {
  readonly large: string;
  /** Each of another object. */
  readonly small: readonly string[];
}

export interface StorageAddresses extends SampleAddresses {
  /** As many as were asked for, each for another object. */
  readonly puts: readonly string[];
}
