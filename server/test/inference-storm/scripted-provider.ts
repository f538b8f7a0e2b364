/** The provider of a storm: follows the order in each request, and records which usage it has reported. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatBody, fails, garbage, toChunks, toCompletion, toEvent } from '../model-provider.ts';
import { type Order, readOrder, WORD } from './plans.ts';

interface StormBody extends ChatBody {
  readonly messages: readonly { readonly content: string }[];
}

export class ScriptedProvider {
  /** Number of requests by call number. */
  readonly asked = new Map<number, number>();
  /** Call numbers whose usage was reported. */
  readonly reported = new Set<number>();
  /** Responses in progress. */
  readonly busy = new Set<ServerResponse>();
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => {
    this.busy.add(response);
    response.once('close', () => this.busy.delete(response));
    text(request)
      .then((body) => this.respond(JSON.parse(body) as StormBody, response))
      // The server that sent the request was killed.
      .catch(() => response.destroy());
  });

  async start(): Promise<string> {
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  openSockets(): number {
    return this.sockets.size;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(body: StormBody, response: ServerResponse): Promise<void> {
    const order = readOrder(body.messages.at(-1)?.content ?? '');
    const times = (this.asked.get(order.number) ?? 0) + 1;
    this.asked.set(order.number, times);
    if (order.pauseMs > 0) await sleep(order.pauseMs);
    const recorded = { method: 'POST', path: '', headers: {}, text: '', body, isAborted: false };
    if (order.deed === 'refuse') return fails(400, 'No.')(recorded, response);
    if (order.deed === 'babble') return garbage()(recorded, response);
    if (order.deed === 'stumble' && times === 1) return fails(500)(recorded, response);
    if (body.stream) return this.stream(order, body, response);
    return this.complete(order, body, response);
  }

  private complete(order: Order, body: StormBody, response: ServerResponse): void {
    if (order.deed === 'hang') return;
    const whole = JSON.stringify(toCompletion(responseTo(order), body));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
    if (order.deed === 'drop') {
      response.write(whole.slice(0, 40), () => response.destroy());
      return;
    }
    if (order.deed !== 'keep quiet') this.reported.add(order.number);
    response.end(whole);
  }

  private async stream(order: Order, body: StormBody, response: ServerResponse): Promise<void> {
    const all = toChunks(responseTo(order), body).map(toEvent);
    const isCut = order.deed === 'drop' || order.deed === 'hang';
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [index, event] of (isCut ? all.slice(0, 2) : all).entries()) {
      // Sends some events alone and some together.
      if (index % 4 === 3) await sleep(order.pauseMs > 0 ? 1 : 0);
      if (!isCut && index === all.length - 1 && order.deed !== 'keep quiet') this.reported.add(order.number);
      response.write(event);
    }
    if (order.deed === 'hang') return;
    if (order.deed === 'drop') setTimeout(() => response.destroy(), 5);
    else response.end('data: [DONE]\n\n');
  }
}

function responseTo({ deed, tokens, words, number }: Order) {
  const { input, output, cacheRead, cacheCreation } = tokens;
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    cache_creation_input_tokens: cacheCreation,
  };
  return {
    id: `chatcmpl-upstream-${number}`,
    text: WORD.repeat(words),
    usage: deed === 'keep quiet' ? null : usage,
  };
}
