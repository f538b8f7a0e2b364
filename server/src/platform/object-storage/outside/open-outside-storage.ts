/** Opens any S3 server as object storage. The SDK is only imported here, so that the embedded store does not pay for it. */
import type { OutsideOptions } from './outside-options.ts';
import type { OutsideStorage } from './outside-storage.ts';

export async function openOutsideStorage(options: OutsideOptions): Promise<OutsideStorage> {
  const { OutsideStorage: Storage } = await import('./outside-storage.ts');
  return new Storage(options);
}
