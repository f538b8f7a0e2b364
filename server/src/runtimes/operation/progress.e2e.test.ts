/** Progress events of state transitions. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';
const EVENTS = { accept: 'text/event-stream' };

const server = await startTestServer({}, [], { hasSandboxes: true });
const me = server.as(server.owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;

interface EventData {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

const parse = (text: string): EventData[] =>
  [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data) as Record<string, unknown>,
  }));

test.skipIf(!available)('a transition streams its steps and ends with the runtime', async () => {
  await me.post(RUNTIMES, { key: 'told' });
  for (const [verb, status] of [
    ['start', 'running'],
    ['pause', 'paused'],
    ['resume', 'running'],
    ['reset', 'idle'],
  ] as const) {
    const { headers, body } = await me.post(`${RUNTIMES}/told/${verb}`, undefined, EVENTS);
    expect(headers['content-type'], verb).toBe('text/event-stream');
    const events = parse(body);
    expect(events.at(-1), verb).toMatchObject({ event: 'runtime', data: { key: 'told', status } });
    expect(events.at(-1)?.data).not.toHaveProperty('created');
    for (const { event, data } of events.slice(0, -1)) {
      expect(event).toBe('progress');
      expect(Object.keys(data)).toEqual(['step', 'message']);
    }
    if (verb === 'start') expect(events.length).toBeGreaterThan(1);
  }
});

test.skipIf(!available)(
  'a refused transition returns an ordinary error response and changes nothing',
  async () => {
    await me.post(RUNTIMES, { key: 'idle' });
    await me.post(RUNTIMES, { key: 'elsewhere', config: { build: { provider: 'container' } } });
    for (const [path, refused, type] of [
      ['idle/pause', 409, 'conflict_error'],
      ['elsewhere/start', 502, 'sandbox_provider_error'],
    ] as const) {
      const { status, body } = await me.post(`${RUNTIMES}/${path}`, undefined, EVENTS);
      expect([status, body], path).toMatchObject([refused, { type }]);
    }
    expect((await me.get(`${RUNTIMES}/idle`)).body).toMatchObject({ status: 'idle', instance: null });
  },
);
