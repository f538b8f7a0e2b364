/** Agents that call the MCP tools of their capability, in whole evaluations. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MCP_SERVER, publishCapability } from '../../../../test/capabilities.ts';
import { startEvaluationWorld, W } from '../../../../test/evaluation-world.ts';

const world = await startEvaluationWorld();
const { server, me, publishTask, evaluate, ended, listItems, listLeftovers } = world;

const schema = '"inputSchema":{"type":"object"}';
const SERVER = MCP_SERVER.replace(
  '{"tools":[',
  `{"tools":[{"name":"fail",${schema}},{"name":"picture",${schema}},{"name":"die",${schema}},`,
).replace(
  'tools/call:fail)',
  `tools/call:picture) result '{"content":[{"type":"text","text":"look"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource","resource":{"uri":"file:///a","text":"inside"}}]}' ;;
    tools/call:fail)`,
);
await publishCapability(me, {
  name: 'kit',
  manifest: `
mcp:
  servers:
    a.b: {command: ./server.sh}
    a_b: {command: ./server.sh}
    remote: {url: "https://mcp.example.com/"}
`,
  files: { 'server.sh': SERVER },
});

type Step = { readonly say: string } | { readonly call: readonly { name: string; arguments?: object }[] };
const call = (name: string, args: object = {}): Step => ({ call: [{ name, arguments: args }] });

/** A task whose instruction is a script for `sim/scripted`, and which is passed by the answer. */
const publishScript = (name: string, steps: readonly Step[], expected: string) =>
  publishTask(name, '', {
    manifest: {
      instruction: `\`\`\`sim\n${JSON.stringify(steps)}\n\`\`\`\n`,
      verification: { method: 'exact', expected },
    },
  });

const evaluateScript = (task: string, capability: string) =>
  evaluate({ model: 'sim/scripted', task_names: [task], capability: { name: capability }, max_retries: 0 });

async function readMessages(id: string, itemId: string) {
  const { body } = await me.get(`${W}/evaluation/${id}/items/${itemId}/transcript`);
  return body.messages as { role: string; content: string }[];
}

test('createMcpTools lets an agent call the MCP tools of its capability, and read their results', async () => {
  const steps = [
    call('a_b__echo', { text: 'one' }),
    call('a_b__echo_2', { text: 'two' }),
    call('a_b__fail'),
    call('a_b__picture'),
    call('a_b__die'),
    call('a_b__echo', { text: 'started again' }),
    { say: '{{last_tool_result}}' },
  ];
  await publishScript('calls', steps, 'started again');
  const id = await evaluateScript('calls', 'kit');
  expect(await ended(id)).toMatchObject({ passed_count: 1 });
  const [item] = await listItems(id);
  const results = (await readMessages(id, item.id)).filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content)).toEqual([
    'one',
    'two',
    'The tool a_b__fail failed: it did not work',
    'look\n[image, image/png, 3 bytes]\ninside',
    'The tool a_b__die failed: The MCP server "a.b" has ended, with 3. It said: a last word',
    'started again',
  ]);
  expect(await listLeftovers()).toEqual([]);
});

test('createMcpTools ends the sample with an infrastructure error when an MCP server does not start', async () => {
  await publishCapability(me, {
    name: 'broken',
    manifest: `
mcp:
  servers:
    mute: {command: sh, args: [-c, "echo cannot read the configuration >&2; exit 5"]}
`,
  });
  await publishScript('unused', [{ say: 'done' }], 'done');
  const id = await evaluateScript('unused', 'broken');
  expect(await ended(id)).toMatchObject({ error_count: 1, passed_count: 0 });
  const [item] = await listItems(id);
  expect(item).toMatchObject({ item_status: 'infra_error', error_kind: 'infra', stop_reason: null });
  expect(item.error).toBe('The MCP server "mute" has ended, with 5. It said: cannot read the configuration');
});

test('createMcpTools gives the agent the same tools when another worker takes the sample over', async () => {
  const steps = [
    call('a_b__echo', { text: 'before' }),
    call('bash', { command: 'mkdir waits && exec tail -f /dev/null; echo went on' }),
    call('a_b__echo_2', { text: 'after' }),
    { say: '{{last_tool_result}}' },
  ];
  await publishScript('moved', steps, 'after');
  const id = await evaluateScript('moved', 'kit');
  const disks = join(server.sandboxes?.dataDir ?? '', 'sandboxes/disks');
  const isWaiting = () => readdirSync(disks).some((disk) => existsSync(join(disks, disk, 'workspace/waits')));
  await expect.poll(isWaiting).toBe(true);
  await world.worker?.stop();
  await world.startWorker();
  expect(await ended(id)).toMatchObject({ passed_count: 1 });
  const [item] = await listItems(id);
  const messages = await readMessages(id, item.id);
  expect(messages.map(({ role }) => role).join(' ')).toBe(
    'user assistant tool assistant tool assistant tool assistant',
  );
  expect(messages[4]?.content).toContain('went on');
});
