/** A whole agent: takes a task, lets a model work in a runtime through one tool, saves the session, and verifies the result. */
import { Drydock, type Message } from '@drydock/sdk';
import OpenAI from 'openai';
import { publish, toTask, WHERE } from './publish.ts';

const MODEL = 'sim/tool-user';
const drydock = new Drydock();
const openai = new OpenAI({
  baseURL: `${process.env['DRYDOCK_URL']}/api/v1/org/main/inference/v1`,
  apiKey: process.env['DRYDOCK_API_KEY'] ?? '',
});

await publish(drydock.tasks, 'example-word', toTask('example-word', 'hello'));
const { manifest } = await drydock.tasks.get({ org: WHERE.org, name: 'example-word' });
const instruction = String(manifest['instruction']);

const { key } = await drydock.runtimes.create(WHERE, { name: 'Agent loop' });
const runtime = { ...WHERE, runtime: key };
await drydock.runtimes.start(runtime);

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'bash',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  },
];
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: instruction }];
const transcript: Message[] = [{ role: 'user', content: instruction }];

for (let turn = 0; turn < 10; turn += 1) {
  const { choices } = await openai.chat.completions.create({ model: MODEL, messages, tools });
  const message = choices[0]?.message;
  if (!message) break;
  messages.push(message);
  const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
  const tool_calls = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  transcript.push({
    role: 'assistant',
    content: message.content ?? '',
    ...(tool_calls.length > 0 && { tool_calls }),
  });
  if (calls.length === 0) break;
  for (const call of calls) {
    const { command } = JSON.parse(call.function.arguments) as { command: string };
    const { stdout, stderr } = await drydock.runtimes.exec(runtime, { command });
    messages.push({ role: 'tool', tool_call_id: call.id, content: stdout + stderr });
    transcript.push({ role: 'tool', tool_call_id: call.id, content: stdout + stderr });
  }
}

const session = { ...WHERE, session_id: crypto.randomUUID() };
await drydock.sessions.save(WHERE, { id: session.session_id, model: MODEL, agent: 'agent-loop' });
await drydock.transcripts.append(session, { messages: transcript });
const saved = await drydock.transcripts.get(session);
console.log('messages:', saved.messages.map(({ role }) => role).join(' ')); // → messages: user assistant tool assistant

const { exit_code } = await drydock.runtimes.exec(runtime, { command: 'grep -qx hello word.txt' });
console.log('solved:', exit_code === 0); // → solved: true
await drydock.runtimes.delete(runtime);
