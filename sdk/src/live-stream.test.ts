import { describe, expect, test } from 'vitest';
import { events, hangUp, json, refusal, type Step, startScriptedServer } from '../test/scripted-server.ts';
import { Drydock, type LiveOptions } from './drydock.ts';

const runtime = { org: 'main', workspace: 'main', runtime: 'scratch' };
const exec = (baseUrl: string, options?: LiveOptions) =>
  new Drydock({ baseUrl, apiKey: 'dd_key', retryPauseMs: 4 }).runtimes.execLive(
    runtime,
    { command: 'echo' },
    options,
  );

const out = (data: string) => `event: stdout\ndata: ${JSON.stringify({ data })}\n\n`;
const exit = 'event: exit\ndata: {"exit_code": 0}\n\n';
const ended = { type: 'exit', data: { exit_code: 0 } };

describe('a live call', () => {
  test('is sent once, without an idempotency key, and yields its events in order', async () => {
    const server = await startScriptedServer(events(out('a'), ': \n\n', out('b'), exit));
    expect(await Array.fromAsync(exec(server.url))).toEqual([
      { type: 'stdout', data: { data: 'a' } },
      { type: 'stdout', data: { data: 'b' } },
      ended,
    ]);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      body: '{"command":"echo"}',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    });
    const start = new Drydock({ baseUrl: server.url, apiKey: 'dd_key' }).runtimes.startLive(runtime);
    await expect(Array.fromAsync(start)).rejects.toMatchObject({ type: 'connection_error' });
    expect(server.seen[1]?.headers).not.toHaveProperty('idempotency-key');
  });

  test('fails like other calls when it is refused', async () => {
    const server = await startScriptedServer(refusal(409, 'conflict_error', 'It is idle.'));
    await expect(Array.fromAsync(exec(server.url))).rejects.toMatchObject({ type: 'conflict_error' });
  });

  test('fails with the error in its last event', async () => {
    const envelope = '{"code": 502, "type": "sandbox_provider_error", "detail": "It is gone."}';
    const server = await startScriptedServer(events(out('a'), `event: error\ndata: ${envelope}\n\n`));
    await expect(Array.fromAsync(exec(server.url))).rejects.toMatchObject({
      type: 'sandbox_provider_error',
      status: 502,
      detail: 'It is gone.',
    });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ['is cut off', events(out('a'))],
    ['never begins', hangUp],
  ])('that %s is not retried', async (_what, step) => {
    const server = await startScriptedServer(step, events(exit));
    await expect(Array.fromAsync(exec(server.url))).rejects.toMatchObject({ type: 'connection_error' });
    expect(server.seen).toHaveLength(1);
  });

  test('fails when the response has no events', async () => {
    const server = await startScriptedServer(json(200, {}));
    await expect(Array.fromAsync(exec(server.url))).rejects.toMatchObject({
      type: 'unexpected_answer_error',
    });
  });
});

describe('the connection of a live call', () => {
  /** @param left resolves when the client has disconnected */
  function openFor(left: (value: string) => void): Step {
    return (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(out('a'));
      response.once('close', () => left('left'));
    };
  }

  test('is closed when the loop is left', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const server = await startScriptedServer(openFor(resolve));
    for await (const _event of exec(server.url)) break;
    expect(await promise).toBe('left');
  });

  test('is closed by the signal, whose reason is thrown', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const server = await startScriptedServer(openFor(resolve));
    const abort = new AbortController();
    const loop = async () => {
      for await (const _event of exec(server.url, { signal: abort.signal })) abort.abort(new Error('enough'));
    };
    await expect(loop()).rejects.toThrow('enough');
    expect(await promise).toBe('left');
  });

  test('counts as broken after too long a silence', async () => {
    const { resolve } = Promise.withResolvers<string>();
    const server = await startScriptedServer(openFor(resolve));
    const silent = Array.fromAsync(exec(server.url, { idleTimeoutMs: 50 }));
    await expect(silent).rejects.toMatchObject({ type: 'connection_error' });
  });
});
