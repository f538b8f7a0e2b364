/** Follows the answer of an operation that leads to an object, and keeps the credential here. */
import { connectionError } from './error-answers.ts';

export interface Redirected {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The operation, for messages. */
  readonly name: string;
  /** Where it was asked, and with what. */
  readonly url: string;
  readonly init: RequestInit;
  readonly response: Response;
}

/** The object, or the answer itself where it leads nowhere. */
export async function followRedirect({ fetch, name, url, init, response }: Redirected): Promise<Response> {
  // Browsers hide where it leads, and by themselves take the credential to no other origin.
  if (response.type === 'opaqueredirect') return fetch(url, { ...init, method: 'GET', redirect: 'follow' });
  const location = response.headers.get('location');
  if (response.status !== 302 || location === null) return response;
  await response.body?.cancel();
  const target = new URL(location, url);
  try {
    // The address holds all that the object storage asks for; our headers are none of its business.
    return await fetch(target.href, { method: 'GET', redirect: 'follow', signal: init.signal ?? null });
  } catch (error) {
    throw connectionError(name, target.origin, error);
  }
}
