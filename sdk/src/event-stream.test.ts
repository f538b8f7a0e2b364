import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  events,
  hangUp,
  json,
  noContent,
  refusal,
  type Seen,
  type Step,
  startScriptedServer,
} from '../test/scripted-server.ts';
import { type ClientOptions, Drydock, type EventOptions, type ServerEvent } from './drydock.ts';

const follow = (baseUrl: string, options?: EventOptions, client: ClientOptions = { apiKey: 'dd_key' }) =>
  new Drydock({ baseUrl, retryPauseMs: 4, maxRetries: 0, ...client }).events<number>(
    '/api/v1/events',
    options,
  );

const event = (id: number) => `id: ${id}\nevent: counted\ndata: ${id}\n\n`;
const counted = (...ids: number[]) => ids.map((id) => ({ id: String(id), type: 'counted', data: id }));
const lastEventId = ({ headers }: Seen) => headers['last-event-id'];

/** Stays open after its pieces. */
const openEvents =
  (...pieces: readonly string[]): Step =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(pieces.join(''));
  };

describe('an event stream', () => {
  test('continues after a broken connection, until it ends regularly', async () => {
    const server = await startScriptedServer(
      events(event(1), ': heartbeat\n\n', event(2), 'id: 3\nevent: counted\nda'),
      hangUp,
      refusal(502, 'bad_gateway_error', 'No.'),
      events(event(3)),
      noContent,
    );
    expect(await Array.fromAsync(follow(server.url))).toEqual(counted(1, 2, 3));
    expect(server.seen.map(lastEventId)).toEqual([undefined, '2', '2', '2', '3']);
    expect(server.seen[0]?.headers.accept).toBe('text/event-stream');
  });

  test('decodes characters split between two pieces', async () => {
    const bytes = Buffer.from('data: "Grüße"\n\n');
    const server = await startScriptedServer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(bytes.subarray(0, 10));
      await sleep(20);
      response.end(bytes.subarray(10));
    }, noContent);
    expect(await Array.fromAsync(follow(server.url))).toEqual([
      { id: undefined, type: 'message', data: 'Grüße' },
    ]);
  });

  test('starts after the given event', async () => {
    const server = await startScriptedServer(noContent);
    expect(await Array.fromAsync(follow(server.url, { lastEventId: '41' }))).toEqual([]);
    expect(server.seen.map(lastEventId)).toEqual(['41']);
  });

  test('waits as long as the server asks before it reconnects', async () => {
    const server = await startScriptedServer(events('retry: 300\n\n', event(1)), noContent);
    const started = performance.now();
    await Array.fromAsync(follow(server.url));
    expect(performance.now() - started).toBeGreaterThanOrEqual(300);
  });

  test('ends with the error that the server sends', async () => {
    const envelope = { code: 403, type: 'forbidden_error', detail: 'You left.' };
    const server = await startScriptedServer(
      events(event(1), `event: error\ndata: ${JSON.stringify(envelope)}\n\n`),
    );
    const seen: ServerEvent<number>[] = [];
    const reading = (async () => {
      for await (const one of follow(server.url)) seen.push(one);
    })();
    await expect(reading).rejects.toMatchObject({
      type: 'forbidden_error',
      status: 403,
      detail: 'You left.',
      requestId: 'request-1',
    });
    expect(seen).toEqual(counted(1));
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    { name: 'is refused', step: refusal(404, 'not_found_error', 'No.'), type: 'not_found_error' },
    { name: 'is not an event stream', step: json(200, {}), type: 'unexpected_answer_error' },
    { name: 'contains invalid JSON', step: events('data: {\n\n'), type: 'unexpected_answer_error' },
  ])('that $name fails at once', async ({ step, type }) => {
    const server = await startScriptedServer(step);
    await expect(Array.fromAsync(follow(server.url))).rejects.toMatchObject({ type });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    { name: 'breaks', step: events(), type: 'connection_error' },
    { name: 'is not there', step: hangUp, type: 'connection_error' },
    {
      name: 'is full',
      step: refusal(429, 'usage_limit_exceeded_error', 'No.'),
      type: 'usage_limit_exceeded_error',
    },
  ])('that repeatedly $name fails when its time is over', async ({ step, type }) => {
    const server = await startScriptedServer(events(event(1)), step);
    const started = performance.now();
    const reading = Array.fromAsync(follow(server.url, { reconnectForMs: 150, maxRetries: 1_000 }));
    await expect(reading).rejects.toMatchObject({ type });
    expect(performance.now() - started).toBeGreaterThanOrEqual(150);
    // The number of further attempts in 150 ms depends on the machine.
    expect(server.seen.length).toBeGreaterThanOrEqual(2);
  });

  test('that cannot be opened has the retries of other calls', async () => {
    const server = await startScriptedServer(hangUp);
    const reading = Array.fromAsync(follow(server.url, { maxRetries: 2 }));
    await expect(reading).rejects.toMatchObject({ type: 'connection_error' });
    expect(server.seen).toHaveLength(3);
  });

  test('reconnects once, however short the time for it', async () => {
    const server = await startScriptedServer(events(event(1)), events(event(2)), noContent);
    expect(await Array.fromAsync(follow(server.url, { reconnectForMs: 0 }))).toEqual(counted(1, 2));
  });

  test('fails on an event that never ends', async () => {
    const server = await startScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      };
      response.on('drain', write);
      write();
    });
    await expect(Array.fromAsync(follow(server.url))).rejects.toMatchObject({
      type: 'unexpected_answer_error',
      detail: expect.stringMatching(/exceeds the maximum length/) as string,
    });
  });

  test.each(['idleTimeoutMs', 'reconnectForMs', 'timeoutMs', 'maxRetries'])('refuses NaN for %s', (name) => {
    expect(() => follow('http://x.example', { [name]: Number.NaN })).toThrow(new RegExp(`^${name} must be`));
  });

  test('may be silent forever when configured', async () => {
    const server = await startScriptedServer(async (response, seen) => {
      openEvents(event(1))(response, seen);
      await sleep(50);
      response.end(event(2));
    }, noContent);
    const options = { idleTimeoutMs: Number.POSITIVE_INFINITY };
    expect(await Array.fromAsync(follow(server.url, options))).toEqual(counted(1, 2));
    expect(server.seen).toHaveLength(2);
  });

  test('is kept alive by heartbeats, and reconnects without them', async () => {
    const server = await startScriptedServer(
      async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let beat = 0; beat < 70; beat += 1) {
          response.write(': heartbeat\n\n');
          await sleep(50);
        }
        response.end(event(1));
      },
      openEvents(event(2)),
      noContent,
    );
    expect(await Array.fromAsync(follow(server.url, { idleTimeoutMs: 3_000 }))).toEqual(counted(1, 2));
    expect(server.seen.map(lastEventId)).toEqual([undefined, '1', '2']);
  });

  test('is not considered dead while the loop body runs', async () => {
    const server = await startScriptedServer(async (response, seen) => {
      openEvents(event(1))(response, seen);
      await sleep(1_600);
      response.write(event(2));
    });
    const seen: number[] = [];
    for await (const { data } of follow(server.url, { idleTimeoutMs: 1_000 })) {
      seen.push(data);
      if (data === 2) break;
      await sleep(1_500);
    }
    expect(seen).toEqual([1, 2]);
    expect(server.seen).toHaveLength(1);
  });

  test('fails with the error of its credential function', async () => {
    const server = await startScriptedServer(noContent);
    const accessToken = () => Promise.reject(new Error('no token today'));
    const stream = new Drydock({ baseUrl: server.url, accessToken }).events('/api/v1/events');
    await expect(Array.fromAsync(stream)).rejects.toThrow('no token today');
  });
});

describe('an expired token of an event stream', () => {
  const envelope = { code: 401, type: 'expired_token_error', detail: 'Expired.' };
  const expired = `event: error\ndata: ${JSON.stringify(envelope)}\n\n`;
  const authorization = ({ headers }: Seen) => headers.authorization;
  const countingTokens = () => {
    let tokens = 0;
    return { accessToken: () => `token-${(tokens += 1)}` };
  };

  test('is replaced as often as events arrive in between', async () => {
    const server = await startScriptedServer(events(event(1), expired), events(event(2), expired), noContent);
    expect(await Array.fromAsync(follow(server.url, {}, countingTokens()))).toEqual(counted(1, 2));
    expect(server.seen.map(authorization)).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-3']);
    expect(server.seen.map(lastEventId)).toEqual([undefined, '1', '2']);
  });

  test('is replaced even when refused on the first connection', async () => {
    const server = await startScriptedServer(
      refusal(401, 'expired_token_error', 'Expired.'),
      events(event(1)),
      noContent,
    );
    expect(await Array.fromAsync(follow(server.url, {}, countingTokens()))).toEqual(counted(1));
  });

  test('that is followed by another expired one ends the stream', async () => {
    const server = await startScriptedServer(events(event(1), expired), events('retry: 1\n\n', expired));
    const reading = Array.fromAsync(follow(server.url, {}, countingTokens()));
    await expect(reading).rejects.toMatchObject({ type: 'expired_token_error' });
    expect(server.seen).toHaveLength(2);
  });

  test('ends the stream when it cannot be replaced', async () => {
    const server = await startScriptedServer(events(event(1), expired));
    const reading = Array.fromAsync(follow(server.url, {}, { accessToken: 'token' }));
    await expect(reading).rejects.toMatchObject({ type: 'expired_token_error' });
    expect(server.seen).toHaveLength(1);
  });
});

describe('the connection of an event stream is closed', () => {
  const openUntilClosed = () => {
    const closed = Promise.withResolvers<void>();
    const step: Step = (response, seen) => {
      response.on('close', () => closed.resolve());
      openEvents(event(1))(response, seen);
    };
    return { step, closed: closed.promise };
  };

  test('when the loop is left', async () => {
    const { step, closed } = openUntilClosed();
    const server = await startScriptedServer(step);
    for await (const one of follow(server.url)) {
      expect(one.data).toBe(1);
      break;
    }
    await closed;
  });

  test('when the signal is aborted, without further buffered events', async () => {
    const server = await startScriptedServer(openEvents(event(1), event(2)));
    const abort = new AbortController();
    const seen: number[] = [];
    for await (const { data } of follow(server.url, { signal: abort.signal })) {
      seen.push(data);
      abort.abort();
    }
    expect(seen).toEqual([1]);
  });

  test('when the signal is aborted, which ends the loop without an error', async () => {
    const { step, closed } = openUntilClosed();
    const server = await startScriptedServer(step);
    const abort = new AbortController();
    const seen: number[] = [];
    for await (const { data } of follow(server.url, { signal: abort.signal })) {
      seen.push(data);
      setTimeout(() => abort.abort(), 20);
    }
    await closed;
    expect(seen).toEqual([1]);
    expect(server.seen).toHaveLength(1);
  });
});
