/** A server with an event stream on a real port, and a reader that can be slowed down. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { createAccountReader } from '../src/accounts/access.ts';
import type { BudgetLimits } from '../src/platform/admission/budget.ts';
import { createSigner } from '../src/platform/auth/signing.ts';
import type { Db } from '../src/platform/db/connect.ts';
import { EventHub, type HubTimings } from '../src/platform/events/hub.ts';
import type { ConnectionTimings } from '../src/platform/http/events/event-connection.ts';
import { EventStreams } from '../src/platform/http/events/event-streams.ts';
import { mount } from '../src/platform/http/mount.ts';
import { documentOperations } from '../src/platform/http/openapi/openapi.ts';
import type { RouteGroup } from '../src/platform/http/operations.ts';
import { createServer } from '../src/platform/http/server.ts';
import type { Upgrades } from '../src/platform/http/upgrades.ts';
import { Idempotency } from '../src/platform/idempotency/idempotency.ts';
import { createLog, type Log } from '../src/platform/log.ts';
import { createVault } from '../src/platform/secrets/envelope.ts';
import { eventRoutes } from './event-routes.ts';
import { createClient, type Person, SECRET_KEY, type TestServer } from './harness.ts';

export interface EventServerOptions {
  /** A database connection other than the test server's own. */
  readonly db?: Db;
  /** undefined selects polling. */
  readonly listenUrl?: string | undefined;
  readonly hub?: Partial<HubTimings>;
  readonly timings?: Partial<ConnectionTimings>;
  readonly limits?: Partial<BudgetLimits>;
  readonly gone?: ReadonlySet<string>;
  /** Routes besides the resource that only has events. */
  readonly moreRoutes?: readonly RouteGroup[];
  readonly log?: Log;
  readonly upgrades?: Upgrades;
}

/** Runs beside the real application, on its database. Stops when the test file ends. */
export async function startEventServer(server: TestServer, options: EventServerOptions = {}) {
  const { db = server.db, log = createLog('fatal'), gone } = options;
  const listenUrl = 'listenUrl' in options ? options.listenUrl : server.url;
  const hub = new EventHub({ db, listenUrl, log, timings: options.hub ?? {} });
  const { timings = {}, limits = {} } = options;
  const streams = new EventStreams({ db, hub, timings, limits });
  const app = createServer({ log, trustedProxies: undefined, upgrades: options.upgrades });
  await documentOperations(app, '1');
  const fittings = {
    reader: createAccountReader(db, createSigner(SECRET_KEY), async () => undefined),
    checkRequest: () => undefined,
    idempotency: new Idempotency({ db, vault: createVault(SECRET_KEY), log }),
    streams,
  };
  mount(app, fittings, [eventRoutes(db, gone), ...(options.moreRoutes ?? [])]);
  app.addHook('onClose', () => hub.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  afterAll(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const pathOf = (id: string) => `/org/main/ws/main/things/${id}`;
  return {
    app,
    hub,
    url,
    pathOf,
    as: (who: Person) => createClient(() => app, who.key),
    append: (who: Person, id: string, body: object) =>
      createClient(() => app, who.key).post(pathOf(id), body),
    open: (who: Person, id: string, lastEventId?: string | number) =>
      openEvents(`${url}/api/v1${pathOf(id)}/events`, who.key, lastEventId),
  };
}

export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: unknown;
  readonly retry?: string;
  readonly comment?: string;
}

export interface EventReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All frames received so far. */
  readonly frames: readonly Frame[];
  /** The sequence numbers of the received events. */
  seqs(): number[];
  text(): string;
  /** How the stream ended: by the server, or cut off. */
  readonly ended: Promise<'ended' | 'cut off'>;
  pause(): void;
  resume(): void;
  leave(): void;
}

export async function openEvents(
  url: string,
  key: string,
  lastEventId?: string | number,
  posted?: object,
): Promise<EventReader> {
  const outgoing = request(url, {
    method: posted ? 'POST' : 'GET',
    headers: {
      ...(posted && { 'content-type': 'application/json' }),
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  }).end(posted && JSON.stringify(posted));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  outgoing.on('error', () => undefined);
  const frames: Frame[] = [];
  let all = '';
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    frames.push(...parts.map(parseFrame));
  });
  const ended = new Promise<'ended' | 'cut off'>((resolve) => {
    response.once('end', () => resolve('ended')).once('error', () => resolve('cut off'));
    response.once('close', () => resolve('cut off'));
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    frames,
    seqs: () => frames.flatMap(({ id }) => (id === undefined ? [] : Number.parseInt(id, 10))),
    text: () => all,
    ended,
    pause: () => response.pause(),
    resume: () => response.resume(),
    leave: () => outgoing.destroy(),
  };
}

function parseFrame(text: string): Frame {
  const fields = text.split('\n').map((line) => {
    const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    return [name || 'comment', name === 'data' ? JSON.parse(value) : value] as const;
  });
  return Object.fromEntries(fields);
}
