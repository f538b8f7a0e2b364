/** A configured database must be reachable when a process starts. Otherwise a sentence says what to correct. */
import { ApiError } from '../errors.ts';
import { openClient } from './open-client.ts';

/** @param setting the variable that holds the address */
export async function requireConnection(url: string, setting: string): Promise<void> {
  try {
    const client = await openClient(url, 'start');
    await client.end();
  } catch (cause) {
    throw new ApiError('configuration_error', explainConnection(cause, url, setting), { cause });
  }
}

/** Names host, port, user and database, and never the password. */
export function explainConnection(error: unknown, url: string, setting: string): string {
  const { code, message } = error as Error & { code?: string };
  if (!URL.canParse(url))
    return `${setting} is not a URL. Write it as postgres://user:password@host:5432/name.`;
  const { host, user, database } = readAddress(url);
  const server = `PostgreSQL at ${host}`;
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `${server} does not accept connections (${code}). Start it, or correct ${setting}.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host of ${host} is unknown (${code}). Correct ${setting}.`;
    case '28P01':
      return `${server} does not accept the password of the user "${user}". Correct ${setting}.`;
    case '28000':
      return `${server} does not let in the user "${user}": ${message}. Correct ${setting}, or create the user.`;
    case '3D000':
      return `${server} has no database "${database}". Create it, or correct ${setting}.`;
    default:
      return `Drydock cannot connect to ${server}: ${message || code}. Check ${setting}, and that the server runs.`;
  }
}

/** Host, port and name of the database. */
export function addressOf(url: string): string {
  if (!URL.canParse(url)) return 'DATABASE_URL';
  const { host, database } = readAddress(url);
  return `${host}/${database}`;
}

function readAddress(url: string) {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  const user = decodeURIComponent(username);
  return {
    host: searchParams.get('host') ?? `${hostname || 'localhost'}:${port || 5432}`,
    user,
    database: decodeURIComponent(pathname.slice(1)) || user,
  };
}
