/** Responses of models, piece by piece. */
import { expect, test } from 'vitest';
import { events, startScriptedServer } from '../test/scripted-server.ts';
import { Drydock } from './drydock.ts';

const ask = (baseUrl: string) =>
  new Drydock({ baseUrl, apiKey: 'dd_key' }).chat.completeLive(
    { org: 'main' },
    { model: 'sim/echo', messages: [{ role: 'user', content: 'Hi' }], seed: 1 },
  );
const piece = 'data: {"id": "chatcmpl-1", "choices": []}\n\n';

test('pieces end with their mark, which is not a piece', async () => {
  const server = await startScriptedServer(events(piece, ': \n\n', piece, 'data: [DONE]\n\n'));
  expect(await Array.fromAsync(ask(server.url))).toHaveLength(2);
  expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ stream: true, seed: 1 });
});

test('pieces without their mark are an incomplete response', async () => {
  const server = await startScriptedServer(events(piece));
  await expect(Array.fromAsync(ask(server.url))).rejects.toMatchObject({ type: 'connection_error' });
});

test('pieces fail with the error in the last one', async () => {
  const envelope =
    '{"code": 502, "type": "bad_gateway_error", "detail": "It broke off.", "error": {"message": "It broke off."}}';
  const server = await startScriptedServer(events(piece, `data: ${envelope}\n\n`));
  await expect(Array.fromAsync(ask(server.url))).rejects.toMatchObject({
    type: 'bad_gateway_error',
    status: 502,
    detail: 'It broke off.',
  });
});

test('messages.createLive ends with its last event, and fails with the type of an error event', async () => {
  const request = { model: 'sim/echo', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const live = (baseUrl: string) =>
    new Drydock({ baseUrl, apiKey: 'dd_key' }).messages.createLive({ org: 'main' }, request);
  const named = (type: string, more = '') => `event: ${type}\ndata: {"type": "${type}"${more}}\n\n`;
  const whole = await startScriptedServer(events(named('message_start'), named('message_stop')));
  expect(await Array.fromAsync(live(whole.url))).toEqual([
    { type: 'message_start' },
    { type: 'message_stop' },
  ]);
  const cut = await startScriptedServer(events(named('message_start')));
  await expect(Array.fromAsync(live(cut.url))).rejects.toMatchObject({ type: 'connection_error' });
  const error =
    ', "code": 502, "detail": "It broke off.", "error": {"type": "api_error", "message": "It broke off.", "drydock_type": "bad_gateway_error"}';
  const failed = await startScriptedServer(events(named('message_start'), named('error', error)));
  await expect(Array.fromAsync(live(failed.url))).rejects.toMatchObject({
    type: 'bad_gateway_error',
    status: 502,
    detail: 'It broke off.',
  });
});
