/** Pools connections to ports in sandboxes for the next request to the same port of the same sandbox. */
import { Agent, type ClientRequestArgs } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import type { RuntimeOperator } from '../operator.ts';
import type { ReachedPort } from './exposed-port.ts';

/** Shorter than the idle timeout of most servers: a request sent while the server closes the connection would be lost. */
const KEPT_MS = 4_000;
const MAX_KEPT = 32;

/** Options of a request. */
export type PortRequestArgs = ClientRequestArgs & { readonly reached: ReachedPort };

type Connector = Pick<RuntimeOperator, 'connect'>;

export class PortPool extends Agent {
  private readonly operator: Connector;
  /** For requests that must not be sent on a connection that is about to be closed. */
  readonly unkept: Agent;

  constructor(operator: Connector, isKept = true) {
    super(isKept ? { keepAlive: true, maxFreeSockets: MAX_KEPT, timeout: KEPT_MS } : { keepAlive: false });
    this.operator = operator;
    this.unkept = isKept ? new PortPool(operator, false) : this;
  }

  override getName(options?: ClientRequestArgs): string {
    const { place, port } = (options as PortRequestArgs).reached;
    return `${place.sandboxId}:${port}`;
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, connection: Duplex) => void,
  ): undefined {
    const { target, port, place } = (options as PortRequestArgs).reached;
    if (callback) connectWith(() => this.operator.connect(target, port, place), callback);
  }

  /** @returns whether the connection can be pooled: only sockets can be unreferenced while idle */
  override keepSocketAlive(connection: Duplex): boolean {
    return connection instanceof Socket && Boolean(super.keepSocketAlive(connection));
  }
}

/** Provides connections asynchronously, in the form that Node agents accept. */
const connectWith = callbackify((connect: () => Promise<Duplex>) => connect());
