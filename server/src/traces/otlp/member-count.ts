/** Limits the number of members: an empty one takes two bytes on the wire and a hundred times as much in memory. */
import { ApiError } from '../../platform/errors.ts';

/** Maximum number of resources, scopes and spans in a request. */
const MAX_MEMBERS = 1_000_000;

export class MemberCount {
  private count = 0;

  add(): void {
    if (++this.count <= MAX_MEMBERS) return;
    const most = MAX_MEMBERS.toLocaleString('en');
    throw new ApiError(
      'invalid_error',
      `The body holds more than ${most} resources, scopes and spans; send fewer in one request.`,
    );
  }
}

/** Maximum number of events, and of links, of a span. */
const MAX_OF_SPAN = 100_000;

export function checkCount(count: number): void {
  if (count <= MAX_OF_SPAN) return;
  const most = MAX_OF_SPAN.toLocaleString('en');
  throw new ApiError('invalid_error', `A span has more than ${most} events or links.`);
}

/** Maximum size of a resource, and of a scope: they are stored per pair, and sent with each chunk of their spans. */
export const MAX_SOURCE_BYTES = 4 * 2 ** 20;
