/** A proxy between clients and a server that can cut connections, with or without notifying either side. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class CuttingProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isSilent = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(port: number): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (outside) => proxy.#join(outside, port));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openCount(): number {
    return this.#pairs.size;
  }

  /** Closes the connections, so that both sides notice. */
  cut(): void {
    for (const sockets of this.#pairs) for (const socket of sockets) socket.resetAndDestroy();
  }

  /** Silently drops everything sent on open connections from now on. New connections work. */
  drop(): void {
    for (const [outside, inside] of this.#pairs) {
      outside.unpipe(inside).pause();
      inside.unpipe(outside).pause();
    }
  }

  /** While silent, new connections receive no response either. */
  setSilent(isSilent: boolean): void {
    this.#isSilent = isSilent;
    if (isSilent) this.drop();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(outside: Socket, port: number): void {
    const inside = connect(port, '127.0.0.1');
    const pair = [outside, inside] as const;
    this.#pairs.add(pair);
    for (const [one, other] of [pair, [inside, outside] as const]) {
      one.on('error', () => undefined);
      one.once('close', () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
    }
    if (this.#isSilent) return;
    outside.pipe(inside);
    inside.pipe(outside);
  }
}
