/** Calls operations by their id, with the types of the OpenAPI document. Resources are thin layers on top. */
import { type EventOptions, EventStream } from './event-stream.ts';
import { type LiveOptions, LiveStream, readPieces, readTyped } from './live-stream.ts';
import type {
  EventOperationId,
  FileOperationId,
  Input,
  LiveEvent,
  LiveOperationId,
  OperationId,
  Piece,
  ResponseBody,
} from './operation-types.ts';
import { OPERATIONS } from './operations.gen.ts';
import { List, type Position } from './pages.ts';
import { fillPath, toQueryString } from './request-url.ts';
import { Terminal, type TerminalOptions } from './terminal.ts';
import type { CallOptions, PassedOnInit, Request, Transport } from './transport.ts';

interface AnyInput {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
}

export class Client {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async call<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options?: CallOptions,
  ): Promise<ResponseBody<Id>> {
    return (await this.#transport.send(toRequest(id, input as AnyInput), options)) as ResponseBody<Id>;
  }

  /** @param cursorName query parameter of the cursor */
  list<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options?: CallOptions,
    cursorName = 'cursor',
  ): List<ResponseBody<Id>> {
    const { query, ...rest } = input as AnyInput;
    const { method, path } = OPERATIONS[id];
    return new List(`${method} ${path}`, async (position) => {
      const request = toRequest(id, { ...rest, query: { ...query, ...toQuery(position, cursorName) } });
      return (await this.#transport.send(request, options)) as ResponseBody<Id>;
    });
  }

  /** Returns the file that an operation responds with or redirects to, with an unread body. */
  file<Id extends FileOperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Response> {
    return this.#transport.open(toRequest(id, input as AnyInput), options);
  }

  /**
   * Sends a request to a port of a runtime.
   * @param where without the path, which is sent unchanged
   */
  pass(
    id: OperationId,
    where: object,
    path: string,
    init: PassedOnInit,
    options?: CallOptions,
  ): Promise<Response> {
    const operation = OPERATIONS[id];
    const own = fillPath(operation.path.replace(/\{path\}$/, ''), where);
    const rest = path.startsWith('/') ? path.slice(1) : path;
    return this.#transport.pass({ ...operation, path: own + rest, passedOn: init }, options);
  }

  /** Opens a terminal over WebSockets. */
  terminal(path: object, options?: TerminalOptions): Promise<Terminal> {
    return Terminal.open(this.#transport, (query) => toRequest('openTerminal', { path, query }), options);
  }

  /** @param last type of the final event */
  live<Id extends LiveOperationId>(
    id: Id,
    input: Input<Id>,
    last: LiveEvent<Id>['type'] & string,
    options?: LiveOptions,
  ): LiveStream<LiveEvent<Id>> {
    const request = toRequest(id, input as AnyInput);
    return new LiveStream(this.#transport, request, readTyped<LiveEvent<Id>>(last), options);
  }

  /** @param lastTypes types of final events; without any, the stream ends with a mark */
  pieces<Id extends LiveOperationId>(
    id: Id,
    input: Input<Id>,
    options?: LiveOptions,
    ...lastTypes: readonly string[]
  ): LiveStream<Piece<Id>> {
    const request = toRequest(id, input as AnyInput);
    return new LiveStream(this.#transport, request, readPieces<Piece<Id>>(...lastTypes), options);
  }

  events<Data>(id: EventOperationId, input: AnyInput, options?: EventOptions): EventStream<Data> {
    return new EventStream<Data>(this.#transport, toRequest(id, input), options);
  }
}

const toQuery = (position: Position | undefined, cursorName: string) =>
  position && 'cursor' in position ? { [cursorName]: position.cursor } : position;

function toRequest(id: OperationId, { path = {}, query, body }: AnyInput): Request {
  const operation = OPERATIONS[id];
  return {
    ...operation,
    path: fillPath(operation.path, path),
    queryString: toQueryString(query),
    body,
  };
}
