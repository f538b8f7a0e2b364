/** Calls a model with OpenAI's client, unchanged, and reads the session that the gateway has recorded. */
import { Drydock } from '@drydock/sdk';
import OpenAI from 'openai';
import { WHERE } from './publish.ts';

const drydock = new Drydock();
const id = crypto.randomUUID();
await drydock.sessions.save(WHERE, { id, model: 'sim/echo', agent: 'gateway-example' });

const openai = new OpenAI({
  baseURL: `${process.env['DRYDOCK_URL']}/api/v1/org/main/inference/v1`,
  apiKey: process.env['DRYDOCK_API_KEY'] ?? '',
  defaultHeaders: { 'X-Drydock-Session': id },
});
const messages: OpenAI.ChatCompletionMessageParam[] = [];
for (const content of ['Ahoy', 'Fair winds']) {
  messages.push({ role: 'user', content });
  const { choices } = await openai.chat.completions.create({ model: 'sim/echo', messages });
  messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' });
}

const recorded = await drydock.transcripts.get({ ...WHERE, session_id: id });
for (const { role, content } of recorded.messages) console.log(`${role}: ${content}`);
// → user: Ahoy
// → assistant: Ahoy
// → user: Fair winds
// → assistant: Fair winds
