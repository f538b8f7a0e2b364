/** Follows the redirect of an operation to an object, without the credential. */
import { connectionError } from './error-responses.ts';

export interface Redirected {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Name of the operation, for messages. */
  readonly name: string;
  /** URL of the request. */
  readonly url: string;
  readonly init: RequestInit;
  readonly response: Response;
}

/** Returns the object, or the response itself when it is not a redirect. */
export async function followRedirect({ fetch, name, url, init, response }: Redirected): Promise<Response> {
  // Browsers hide the target, and do not send the credential to other origins.
  if (response.type === 'opaqueredirect') return fetch(url, { ...init, method: 'GET', redirect: 'follow' });
  const location = response.headers.get('location');
  if (response.status !== 302 || location === null) return response;
  await response.body?.cancel();
  const target = new URL(location, url);
  try {
    // The target URL contains everything that the object storage needs; our headers are not sent.
    return await fetch(target.href, { method: 'GET', redirect: 'follow', signal: init.signal ?? null });
  } catch (error) {
    throw connectionError(name, target.origin, error);
  }
}
