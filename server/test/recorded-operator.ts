/** An application whose operator records its calls without executing them, for tests of permissions. */
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/platform/log.ts';
import type { RuntimeOperator, Target } from '../src/runtimes/operator.ts';
import { atEndOfFile } from './end-of-file.ts';
import { type Client, createClient, type Person, SECRET_KEY, type TestServer } from './harness.ts';
import { NO_LIMITS } from './no-limits.ts';

export interface Asked {
  readonly verb: string;
  readonly runtimeId: string;
  readonly actorId: string;
  readonly rest: readonly unknown[];
}

export interface RecordedServer {
  readonly operator: RuntimeOperator;
  readonly asked: Asked[];
  /** Results that the operator returns for a method, instead of nothing. */
  readonly handlers: Map<string, () => Promise<unknown>>;
  as(who: Person): Client;
}

/** Runs beside a server, on its database. */
export async function startRecorded({ db, storage }: TestServer): Promise<RecordedServer> {
  const asked: Asked[] = [];
  const handlers = new Map<string, () => Promise<unknown>>();
  const record =
    (verb: string) =>
    async ({ runtimeId, actorId }: Target, ...rest: unknown[]) => {
      asked.push({ verb, runtimeId, actorId, rest });
      return handlers.get(verb)?.();
    };
  const verbs = [
    'start',
    'pause',
    'resume',
    'reset',
    'keepAlive',
    'end',
    'delete',
    'exec',
    'connect',
    'openTerminal',
    'checkTerminal',
    'setCapabilities',
  ];
  const operator = Object.fromEntries(
    verbs.map((verb) => [verb, record(verb)]),
  ) as unknown as RuntimeOperator;
  const app = await buildApp({
    config: loadConfig({ ...NO_LIMITS }),
    secretKey: SECRET_KEY,
    db,
    storage,
    sandboxes: { operator },
    log: createLog('fatal'),
  });
  atEndOfFile(() => app.close());
  return { operator, asked, handlers, as: (who) => createClient(() => app, who.key) };
}
