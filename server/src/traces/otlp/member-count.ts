/** Bounds how many members there are of anything: empty ones take two bytes each, and become a hundred times as much. */
import { ApiError } from '../../platform/errors.ts';

/** Of a request: resources, scopes and spans. */
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

/** Of the events of a span, and of its links. */
const MAX_OF_SPAN = 100_000;

export function checkCount(count: number): void {
  if (count <= MAX_OF_SPAN) return;
  const most = MAX_OF_SPAN.toLocaleString('en');
  throw new ApiError('invalid_error', `A span has more than ${most} events or links.`);
}

/** Of a resource, and of a scope: they are stored again with each other, and sent with each portion of their spans. */
export const MAX_SOURCE_BYTES = 4 * 2 ** 20;
