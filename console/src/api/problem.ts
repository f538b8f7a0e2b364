/** What a page says about an error: what happened, and what to do. */
import { isDrydockError } from '@drydock/sdk';

export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  /** The thing does not exist, or this user may not see it. */
  readonly isMissing: boolean;
}

export function toProblem(error: unknown): Problem {
  if (!isDrydockError(error))
    return { title: 'This page failed', detail: String(error), requestId: undefined, isMissing: false };
  const { status, detail, requestId } = error;
  const isMissing = status === 403 || status === 404 || status === 410;
  const title =
    status === 403
      ? 'You may not see this'
      : isMissing
        ? 'This does not exist, or not any more'
        : status === undefined
          ? 'The server cannot be reached'
          : 'The server refused this';
  const mistakes = error.issues.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`);
  return { title, detail: mistakes.length > 0 ? mistakes.join('. ') : detail, requestId, isMissing };
}

/** The mistakes of a refused request by the name of their field, for a form. */
export function toFieldErrors(error: unknown): Record<string, string> {
  if (!isDrydockError(error)) return {};
  return Object.fromEntries(
    error.issues.filter(({ loc }) => loc[0] === 'body').map(({ loc, msg }) => [loc.slice(1).join('.'), msg]),
  );
}
