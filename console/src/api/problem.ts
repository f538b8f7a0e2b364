/** Turns an error into the text that a page shows: what happened, and what to do. */
import { isDrydockError } from '@drydock/sdk';

export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  /** The resource does not exist, was deleted, or is not visible to this user. */
  readonly isMissing: boolean;
}

export function toProblem(error: unknown): Problem {
  if (!isDrydockError(error))
    return {
      title: 'This page stopped working',
      detail: String(error),
      requestId: undefined,
      isMissing: false,
    };
  const { status, detail, requestId } = error;
  const isMissing = status === 403 || status === 404 || status === 410;
  const title =
    status === 403
      ? 'You do not have access'
      : isMissing
        ? 'Not found'
        : status === undefined
          ? 'The server cannot be reached'
          : 'The request failed';
  const mistakes = error.issues.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`);
  return { title, detail: mistakes.length > 0 ? mistakes.join('. ') : detail, requestId, isMissing };
}

/** @returns what is wrong with a request, by the name of the form field */
export function toFieldErrors(error: unknown): Record<string, string> {
  if (!isDrydockError(error)) return {};
  return Object.fromEntries(
    error.issues.filter(({ loc }) => loc[0] === 'body').map(({ loc, msg }) => [loc.slice(1).join('.'), msg]),
  );
}
