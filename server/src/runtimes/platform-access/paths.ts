/** Maps the paths that a sandbox can request to those of the application. Every other path is refused before the application sees it. */
import type { PlatformGrant } from './grant.ts';

type Place = Pick<PlatformGrant, 'organizationKey' | 'workspaceKey' | 'access'>;

const NOT_DOTS = '(?!\\.\\.?(?:/|$))';
/** A path character; excludes the encodings of `.`, `/`, the backslash and NUL. */
const CHARACTER = '[A-Za-z0-9_.~@:+-]|%(?!2[eEfF]|5[cC]|00)[0-9A-Fa-f]{2}';
/** Clients encode the slash in model names. It stays within its segment, which the application looks up as one name. */
const MODELS = `models(?:/${NOT_DOTS}(?:${CHARACTER}|%2[fF])+)*`;

const GATEWAY = new RegExp(
  `^(?:chat/completions|responses|embeddings|messages|messages/count_tokens|${MODELS})$`,
);
const SESSIONS = new RegExp(`^sessions(?:/${NOT_DOTS}(?:${CHARACTER})+)*$`);

/** @returns the path with its query for the application; undefined if the sandbox has no access to it */
export function toPlatformPath(url: string, place: Place): string | undefined {
  const [path = '', ...query] = url.split('?');
  const inside = findInside(path, place);
  return inside === undefined ? undefined : [inside, ...query].join('?');
}

function findInside(path: string, { organizationKey, workspaceKey, access }: Place): string | undefined {
  const organization = `/api/v1/org/${organizationKey}`;
  const workspace = `${organization}/ws/${workspaceKey}`;
  const isFull = access === 'full';
  if (isFull && (path === '/v1/traces' || path === `${organization}/otel/v1/traces`))
    return `${organization}/otel/v1/traces`;
  for (const prefix of ['/v1/', `${organization}/inference/v1/`])
    if (path.startsWith(prefix) && GATEWAY.test(path.slice(prefix.length)))
      return `${organization}/inference/v1/${path.slice(prefix.length)}`;
  if (isFull && path.startsWith(`${workspace}/`) && SESSIONS.test(path.slice(workspace.length + 1)))
    return path;
  return undefined;
}
