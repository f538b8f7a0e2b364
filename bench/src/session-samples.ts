/** The sessions and messages that both sides of `sessions.ts` write. */
import { uuidv7 } from '@drydock/server/src/platform/uuid.ts';

const WORDS =
  'The agent opened Größe, read what the tool had printed, and wrote the next Step of its plan'.split(' ');
const TEXT_BYTES = 64 * 1024;
const MESSAGE_BYTES = 1024;

/** Words in a pseudo-random order, so that compression gains little. */
const TEXT = (() => {
  let text = '';
  for (let state = 1; text.length < TEXT_BYTES; state = (state * 48_271) % 2_147_483_647)
    text += `${WORDS[state % WORDS.length]} ${state.toString(36)} `;
  return text;
})();

/** 1 KB of text, different for each number. */
export function messageText(number: number): string {
  const at = (number * 131) % (TEXT.length - MESSAGE_BYTES);
  return TEXT.slice(at, at + MESSAGE_BYTES);
}

export interface SessionSample {
  readonly id: string;
  readonly model: string;
  readonly agent: string;
  readonly title: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

export const newSession = (number: number): SessionSample => ({
  id: uuidv7(),
  model: `sim/model-${number % 40}`,
  agent: `agent-${number % 30}`,
  title: `What happened in run ${number}`,
  labels: { team: [`team-${number % 7}`], stage: ['draft'] },
});

export interface MessageSample {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly tool_call_id?: string;
  readonly usage?: Usage;
}

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cost_usd: number;
}

const ROUND = 4;

/** Rounds of four: a user asks, the assistant calls a tool, the tool answers, the assistant replies. */
export function newMessage(number: number): MessageSample {
  const [id, content, call] = [uuidv7(), messageText(number), `call-${Math.floor(number / ROUND)}`];
  switch (number % ROUND) {
    case 0:
      return { id, role: 'user', content };
    case 1:
      return {
        id,
        role: 'assistant',
        content,
        tool_calls: [{ id: call, name: 'read_file', arguments: '{"path":"notes.md","lines":[1,40]}' }],
        usage: newUsage(number),
      };
    case 2:
      return { id, role: 'tool', content, tool_call_id: call };
    default:
      return { id, role: 'assistant', content, usage: newUsage(number) };
  }
}

const newUsage = (number: number): Usage => ({
  input_tokens: 1_000 + (number % 100),
  output_tokens: 200 + (number % 10),
  cache_read_input_tokens: 500,
  cache_creation_input_tokens: 0,
  cost_usd: 0.0125,
});
