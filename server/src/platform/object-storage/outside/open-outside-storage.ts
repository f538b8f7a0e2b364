/** Opens any S3 as object storage. The SDK is loaded only here: who uses the embedded store pays nothing for it. */
import type { ObjectStorage } from '../object-storage.ts';
import type { OutsideOptions } from './outside-options.ts';

export async function openOutsideStorage(options: OutsideOptions): Promise<ObjectStorage> {
  const { OutsideStorage } = await import('./outside-storage.ts');
  return new OutsideStorage(options);
}
