/** The requests, the same for both servers. */
export const NO_STORE_PATH =
  '/api/v1/org/main/ws/main/bench/first-item?limit=20&page=2&is_active=true&order=desc&tag=red&tag=blue';
export const ONE_ROW_PATH = '/api/v1/org/main/ws/main/projects/default';

/** Addresses at which a server offers each of them. */
export interface Origins {
  readonly noStore: string;
  readonly oneRow: string;
}

/** Addresses of the two samples of `storage.ts` at a server. */
export interface SampleAddresses {
  readonly large: string;
  /** One address per object. */
  readonly small: readonly string[];
}

export interface StorageAddresses extends SampleAddresses {
  /** Links for the requested number of objects, each for another one. */
  readonly puts: readonly string[];
}
