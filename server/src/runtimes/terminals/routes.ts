import type { IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { Upgrade } from '../../platform/http/upgrades.ts';
import { getRunning } from '../exec/running.ts';
import type { RuntimeOperator } from '../operator.ts';
import { RuntimeParams } from '../schema.ts';
import { TERMINAL_PROTOCOL, TerminalQuery, type TerminalQueryOf } from './schema.ts';
import { abandon, type TerminalLink, type TerminalRequest } from './terminal-link.ts';
import { serveTerminal, TERMINAL_TIMINGS, type TerminalTimings } from './terminal-socket.ts';

const MAX_INPUT_BYTES = 1024 ** 2;

interface TerminalOptions {
  readonly db: Db;
  readonly operator: Pick<RuntimeOperator, 'openTerminal' | 'checkTerminal'>;
  readonly timings?: Partial<TerminalTimings> | undefined;
}

export function terminalRoutes({ db, operator, timings }: TerminalOptions) {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_INPUT_BYTES,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (offered) => offered.has(TERMINAL_PROTOCOL) && TERMINAL_PROTOCOL,
  });
  /** @returns false when the caller has disconnected in the meantime */
  const serve = (upgrade: Upgrade, request: IncomingMessage, link: TerminalLink): boolean => {
    const { socket, head, signal } = upgrade.take();
    let isServed = false;
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      isServed = true;
      serveTerminal(webSocket, link, signal, { ...TERMINAL_TIMINGS, ...timings });
    });
    return isServed;
  };
  return workspaceRoutes('Runtimes', (on) => {
    on.get(
      '/runtimes/:runtime/terminal',
      {
        id: 'openTerminal',
        summary: 'Open a terminal in a runtime',
        description: DESCRIPTION,
        scope: 'runtimes:write',
        role: 'contributor',
        params: RuntimeParams,
        query: TerminalQuery,
        status: 101,
        upgrades: { webSocketProtocol: TERMINAL_PROTOCOL },
      },
      async ({ scope, params, query, request, upgrade }) => {
        const { target, hasWorkspace, place } = await getRunning(db, scope, params.runtime);
        const wanted = toRequest(query, hasWorkspace);
        if (!upgrade) {
          await operator.checkTerminal(target, wanted, place).catch(toRefusal);
          throw noWebSocket();
        }
        requireWebSocket(upgrade, request.raw);
        const link = await operator.openTerminal(target, wanted, place).catch(toRefusal);
        try {
          if (!serve(upgrade, request.raw, link)) abandon(link, wanted);
        } catch (error) {
          abandon(link, wanted);
          throw error;
        }
      },
    );
  });
}

const DESCRIPTION =
  'A WebSocket: what is typed and shown are binary messages. Text messages are JSON. The server sends ' +
  '`{"type": "attached", "terminal_id", "offset", "lost"}` first, `{"type": "exit", "code"}` last, and ' +
  '`{"type": "error", "code", "detail"}` before it closes for another reason. You may send ' +
  '`{"type": "resize", "columns", "rows"}`, `{"type": "ack", "offset"}`, `{"type": "ping"}`, which is answered with `pong`, and ' +
  '`{"type": "hang_up"}`, which ends the program. ' +
  'Who is cut off attaches again with `terminal_id` and `after`, and gets what is kept of the output since; the last who ' +
  'attaches takes over. A terminal that nobody is attached to ends after 10 minutes. ' +
  'Closed with 1000: the program has ended; 1012: the server stops; 4400: bad message; 4401: your credential has expired; ' +
  '4403: you may not use the runtime any more; 4409: another has attached; 4502: the host was lost. ' +
  'A browser sends its credential as a subprotocol, `drydock.bearer.<access token or API key>`, beside `drydock.terminal`.';

/** Runs bash, which users expect, or sh if it is missing. */
const LOGIN = 'if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi';
const LINE = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';

function toRequest(query: TerminalQueryOf, hasWorkspace: boolean): TerminalRequest {
  const { terminal_id, after, columns, rows, command, acknowledges } = query;
  const isSized = terminal_id === undefined || columns !== undefined || rows !== undefined;
  return {
    terminalId: terminal_id,
    after,
    acknowledges,
    size: isSized ? { columns: columns ?? 80, rows: rows ?? 24 } : undefined,
    command: {
      argv: command === undefined ? ['/bin/sh', '-c', LOGIN] : ['/bin/sh', '-c', LINE, 'sh', command],
      cwd: hasWorkspace ? '/workspace' : '/',
      environment: { TERM: 'xterm-256color' },
    },
  };
}

/** Converts errors that only the terminal can detect. */
function toRefusal(error: unknown): never {
  if (!(error instanceof ApiError && error.type === 'validation_error')) throw error;
  const issues = (error.issues ?? []).map(({ loc, msg, type }) => ({ loc: ['query', ...loc], msg, type }));
  throw new ApiError('validation_error', error.message, { issues, cause: error });
}

const noWebSocket = () =>
  new ApiError('upgrade_required_error', 'This is a WebSocket: connect to it with a client for those.', {
    headers: { upgrade: 'websocket' },
  });

/** Checked before the connection is upgraded, because afterwards no error response is possible. */
function requireWebSocket({ protocol }: Upgrade, { headers }: IncomingMessage): void {
  if (protocol.toLowerCase() !== 'websocket') throw noWebSocket();
  const key = headers['sec-websocket-key'] ?? '';
  if (!/^[+/0-9A-Za-z]{22}==$/.test(key) || headers['sec-websocket-version'] !== '13')
    throw new ApiError('invalid_error', 'This is not a WebSocket handshake of version 13.');
  const names = headers['sec-websocket-protocol']
    ?.split(',')
    .map((name) => name.replace(/^[ \t]+|[ \t]+$/g, ''));
  if (!names || (names.every((name) => TOKEN.test(name)) && new Set(names).size === names.length)) return;
  throw new ApiError('invalid_error', 'Sec-WebSocket-Protocol has to be a list of names, each of them once.');
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
