/** Opens any S3 as object storage. The SDK is loaded only here: who uses the embedded store pays nothing for it. */
import type { OutsideOptions } from './outside-options.ts';
import type { OutsideStorage } from './outside-storage.ts';

export async function openOutsideStorage(options: OutsideOptions): Promise<OutsideStorage> {
  const { OutsideStorage: Storage } = await import('./outside-storage.ts');
  return new Storage(options);
}
