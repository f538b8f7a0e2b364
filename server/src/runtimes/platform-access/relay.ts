/**
 * Forwards requests of sandboxes to the application of this process. A sandbox has no key: each connection belongs to one sandbox, and the
 * relay sends that sandbox's credential instead of whatever the program sent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toSandboxCredential } from '../../platform/auth/sandbox-credential.ts';
import { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Log } from '../../platform/log.ts';
import type { PlatformHandler } from '../../platform/sandbox/sandbox-provider.ts';
import { findPlatformGrant, type PlatformGrant } from './grant.ts';
import { toPlatformPath } from './paths.ts';

export interface RelayOptions {
  readonly db: Db;
  readonly signer: Signer;
  readonly log: Log;
}

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Headers that would identify the caller or its address. */
const IDENTITY_HEADERS =
  /^(authorization|cookie|forwarded|x-api-key|x-forwarded-.*|x-real-ip|sec-fetch-.*|origin)$/;

export class PlatformRelay {
  readonly #options: RelayOptions;
  readonly #grants = new ShortMemory<PlatformGrant | undefined>();
  #serve: Serve | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Sets the application that handles requests. It is built after the host, which is one of its parts. */
  serveBy(serve: Serve): void {
    this.#serve = serve;
  }

  readonly take: PlatformHandler = (sandboxId, request, response) => {
    this.#pass(sandboxId, request, response).catch((error: unknown) => {
      this.#options.log.error({ err: error, sandboxId }, 'a request of a sandbox could not be passed on');
      refuse(response, 502, 'The platform could not take the request. Try again.');
    });
  };

  async #pass(sandboxId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { db, signer } = this.#options;
    const grant = await this.#grants.get(sandboxId, () => findPlatformGrant(db, sandboxId));
    if (!grant) return refuse(response, 403, 'The sandbox has ended, or may not call the platform.');
    if (!this.#serve) return refuse(response, 503, 'The platform is starting. Try again.');
    const path = toPlatformPath(request.url ?? '', grant);
    if (path === undefined) return refuse(response, 404, notOffered(request.url ?? '', grant));
    request.url = path;
    for (const name of Object.keys(request.headers))
      if (IDENTITY_HEADERS.test(name)) delete request.headers[name];
    request.headers.authorization = `Bearer ${toSandboxCredential(signer, sandboxId)}`;
    this.#serve(request, response);
  }
}

const notOffered = (url: string, { access }: PlatformGrant) => {
  const path = url.slice(0, 200).replace(/\?.*/, '');
  return access === 'full'
    ? `${path} is not offered inside a sandbox: it reaches the gateway, traces and sessions of its own workspace.`
    : `${path} is not offered to this sandbox, whose platform_access is "inference": it reaches the gateway's models at /v1.`;
};

/** An error in a format in which clients of OpenAI, Anthropic and Drydock all find the message. */
function refuse(response: ServerResponse, status: number, detail: string): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify({ type: 'error', detail, error: { type: 'platform_access', message: detail } });
  // The rest of the request is not read, so the connection is closed after the response.
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' });
  response.end(body);
}
