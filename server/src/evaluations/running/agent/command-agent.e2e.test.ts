/** Programs as agents: they call their model through the platform, in a sandbox without network, and every call is recorded. */
import { expect, test } from 'vitest';
import { addProvider, startEvaluationWorld, W } from '../../../../test/evaluation-world.ts';
import { answers } from '../../../../test/model-provider.ts';

const world = await startEvaluationWorld({ environment: { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' } });
const { me, evaluate, ended, listItems } = world;
const provider = await addProvider(me);

const VERIFY = { files: { 'verify.sh': 'grep -q right result.txt\n' } };

await world.publishTask('write', 'Write "right" into result.txt.', VERIFY);

/** A program that asks its model once, in the form of OpenAI's API, and prints the response. */
const CALL = `curl -sS --fail-with-body -m 60 "$OPENAI_BASE_URL/chat/completions" -H 'content-type: application/json' \
  -d "$(python3 -c 'import json,os,sys; print(json.dumps({"model": os.environ.get("ASKED", os.environ["DRYDOCK_MODEL"]), "messages": [{"role": "user", "content": open(os.environ["DRYDOCK_INSTRUCTION_FILE"]).read()}]}))')"`;

async function runOne(request: object) {
  const id = await evaluate({
    name: 'program',
    model: 'acme/large',
    max_retries: 0,
    task_names: ['write'],
    ...request,
  });
  const evaluation = await ended(id);
  const [item] = await listItems(id);
  return { id, evaluation, item };
}

const transcriptOf = async (id: string, item: { id: string }) =>
  (await me.get(`${W}/evaluation/${id}/items/${item.id}/transcript`)).body;

test('evaluationJob runs a program as the agent, records its calls and verifies its files', async () => {
  provider.next(answers({ text: 'All right.' }));
  const { id, evaluation, item } = await runOne({
    agent: {
      command: `${CALL} > /tmp/out && echo "$WORD" > result.txt`,
      env: { WORD: 'right' },
      setup: 'echo prepared > /tmp/prepared',
    },
  });
  expect(item).toMatchObject({
    item_status: 'passed',
    passed: true,
    stop_reason: 'finished',
    answer: 'All right.',
    turn_count: 1,
    error: null,
  });
  expect(item.usage.cost_usd).toBeGreaterThan(0);
  expect(item.changed_files).toMatchObject([{ path: 'result.txt' }]);
  const { messages, session } = await transcriptOf(id, item);
  expect(messages).toMatchObject([
    { role: 'user', content: expect.any(String) },
    { role: 'assistant', content: 'All right.', usage: { output_tokens: 5 } },
  ]);
  expect(session).toMatchObject({ agent: 'command', frozen_by: 'evaluation' });
  // Evaluations are read by the whole workspace.
  expect(evaluation.agent).toMatchObject({ env: { WORD: '***' } });
  const found = await me.get(`${W}/evaluation/${id}/items/search?q=all%20right`);
  expect(found).toMatchObject({
    status: 200,
    body: { matches: [{ item_id: item.id, snippet: 'All right.' }] },
  });
});

test('evaluationJob takes the standard output as the answer when the program calls no model', async () => {
  const { item } = await runOne({
    agent: { command: 'echo right > result.txt; echo " Done by hand. "' },
  });
  expect(item).toMatchObject({ passed: true, answer: 'Done by hand.', turn_count: 0 });
});

test.each([
  ['a pipe', 'mkfifo'],
  ['a device', 'ln -s /dev/zero'],
])('evaluationJob ends when the program puts %s in the place of its output', async (_what, make) => {
  const { item } = await runOne({
    agent: { command: `cd ~/.drydock && rm stdout && ${make} stdout; echo right > /workspace/result.txt` },
  });
  expect(item).toMatchObject({ passed: true, stop_reason: 'finished', answer: '' });
});

test.each([
  ['its program is missing', 'no-such-agent --now', /was not found \(exit code 127\).*no-such-agent/s],
  ['its program fails', 'echo out of paper >&2; exit 3', /ended with exit code 3: out of paper/],
  [
    'it names another model',
    `ASKED=acme/other; export ASKED; ${CALL}`,
    /may call the model \\?"acme\/large\\?" only/,
  ],
])('evaluationJob reports the exit of the program as the error when %s', async (_name, command, error) => {
  const { item } = await runOne({
    agent: { command },
  });
  expect(item).toMatchObject({
    item_status: 'failed',
    error_kind: 'agent',
    stop_reason: 'error',
    error: expect.stringMatching(error),
  });
});

test('evaluationJob ends a program at its time limit and verifies what it left', async () => {
  const { item } = await runOne({
    agent: { command: 'echo right > result.txt; sleep 1000' },
    limits: { task_timeout_seconds: 2 },
  });
  expect(item).toMatchObject({ item_status: 'passed', stop_reason: 'timeout' });
});

test('evaluationJob ends a program at its cost limit', async () => {
  const loop = `i=0; while :; do i=$((i+1)); echo "try $i" > "$HOME/ask"; DRYDOCK_INSTRUCTION_FILE="$HOME/ask"; export DRYDOCK_INSTRUCTION_FILE; ${CALL} || exit 9; done`;
  const { item } = await runOne({
    agent: { command: loop },
    limits: { max_cost_usd: 0.03 },
  });
  expect(item).toMatchObject({ item_status: 'failed', stop_reason: 'cost', error_kind: 'limit' });
  expect(item.usage.cost_usd).toBeLessThan(0.06);
});

test('evaluationJob ends a program at its turn limit', async () => {
  const program = `
import json, os, time, urllib.request
messages = [{"role": "user", "content": "Begin"}]
for _ in range(3):
    body = json.dumps({"model": os.environ["DRYDOCK_MODEL"], "messages": messages}).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"Content-Type": "application/json"})
    messages.append(json.load(urllib.request.urlopen(request))["choices"][0]["message"])
    messages.append({"role": "user", "content": "Go on"})
time.sleep(1000)`;
  const { item } = await runOne({
    agent: { command: `python3 - <<'END'\n${program}\nEND` },
    limits: { max_turns: 3 },
  });
  expect(item).toMatchObject({ stop_reason: 'max_turns', turn_count: 3, error_kind: 'limit' });
});

test('createEvaluation refuses a program with an unusable environment', async () => {
  const agent = { command: 'true', env: { 'not a name': 'x' } };
  const answer = await me.post(`${W}/evaluation`, {
    name: 'x',
    model: 'sim/echo',
    task_names: ['main/x'],
    agent,
  });
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: [{ loc: expect.arrayContaining(['agent']) }] },
  });
});
