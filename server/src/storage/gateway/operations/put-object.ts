/** PutObject. */
import type { Checksum, WriteCondition } from '../../../platform/object-storage/embedded/stored-object.ts';
import { ConditionFailed } from '../../../platform/object-storage/embedded/stored-object.ts';
import { preconditionFailed, toWriteCondition } from '../http/conditions.ts';
import type { Exchange } from '../http/exchange.ts';
import { toChecksumHeaders, toDescription } from '../http/object-headers.ts';
import type { Payload } from '../payload/payload.ts';
import { noSuchKey } from './get-object.ts';

/** Maximum size of one body; larger objects are uploaded in parts. */
export const MAX_PUT_BYTES = 5 * 1024 ** 3;

export async function putObject(exchange: Exchange): Promise<void> {
  const { store, key, headers, reply } = exchange;
  const description = toDescription(headers);
  const condition = toWriteCondition(headers);
  if (condition) await refuseHopeless(exchange, condition);
  const payload = exchange.readPayload({ maxBytes: MAX_PUT_BYTES });
  const content = { key, ...description, body: payload.body, checksum: () => toChecksum(payload) };
  const stored = await underCondition(exchange, condition, () => store.putObject(content, condition));
  reply.send(200, { etag: `"${stored.etag}"`, ...toChecksumHeaders(stored.checksum) });
}

function toChecksum(payload: Payload): Checksum | undefined {
  const checksum = payload.checksum();
  return checksum && { ...checksum, type: 'FULL_OBJECT' };
}

/** Checks the conditions before the body is sent in vain; they are checked again when it has arrived. */
async function refuseHopeless({ store, key }: Exchange, condition: WriteCondition): Promise<void> {
  const object = await store.index.find(key);
  if ('ifMatch' in condition) {
    if (!object) throw noSuchKey(key);
    if (object.etag !== condition.ifMatch) throw preconditionFailed();
  } else if (object) throw preconditionFailed();
}

/** Distinguishes an If-Match without an object (404) from one with another etag (412). */
export async function underCondition<T>(
  { store, key }: Exchange,
  condition: WriteCondition | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (
      error instanceof ConditionFailed &&
      condition &&
      'ifMatch' in condition &&
      !(await store.index.find(key))
    )
      throw noSuchKey(key);
    throw error;
  }
}
