/** An in-memory transcript, a scripted model and options for a run of an agent, each of which a test can interrupt. */
import { type AgentOptions, runAgent } from '../src/platform/agent/agent.ts';
import type {
  AgentMessage,
  AgentModel,
  AgentTool,
  AgentTranscript,
  AgentUsage,
  ModelRequest,
  ModelResponse,
} from '../src/platform/agent/ports.ts';

const toJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

export class MemoryTranscript implements AgentTranscript {
  readonly eras: AgentMessage[][] = [[]];
  readonly #onWrite: () => void;

  /** @param onWrite called before and after each write; it may throw */
  constructor(onWrite: () => void = () => undefined) {
    this.#onWrite = onWrite;
  }

  get all(): AgentMessage[] {
    return this.eras.flat();
  }

  get current(): AgentMessage[] {
    return this.eras.at(-1) ?? [];
  }

  async read() {
    const usages = this.all.map(({ usage }) => usage);
    const totals = {
      outputTokens: usages.reduce((sum, usage) => sum + (usage?.output_tokens ?? 0), 0),
      costUsd: usages.reduce((sum, usage) => sum + (usage?.cost_usd ?? 0), 0),
    };
    return toJson({ messages: this.current, totals });
  }

  async append(messages: readonly AgentMessage[]): Promise<void> {
    this.#onWrite();
    const isKnown = ({ id }: AgentMessage) => this.all.some((stored) => stored.id === id);
    this.current.push(...toJson(messages.filter((message) => !isKnown(message))));
    this.#onWrite();
  }

  async compact(summary: AgentMessage, upToId: string): Promise<void> {
    this.#onWrite();
    if (this.current.at(-1)?.id !== upToId) throw new Error(`${upToId} is not the last message.`);
    this.eras.push([toJson(summary)]);
    this.#onWrite();
  }
}

export const usageOf = (input: number, output: number, cost: number | null = null): AgentUsage => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cost_usd: cost,
});

export const call = (name: string, args: unknown = {}, id = '') => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

export const respond = (content: string, ...toolCalls: ModelResponse['toolCalls']): ModelResponse => ({
  content,
  toolCalls,
  finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
  usage: usageOf(10, 5),
});

type Answer = (request: ModelRequest, signal: AbortSignal) => ModelResponse | Promise<ModelResponse>;

/** Returns its responses in order and records the requests. */
export class ScriptedModel implements AgentModel {
  readonly requests: ModelRequest[] = [];
  readonly #answers: (ModelResponse | Answer)[];

  constructor(...answers: (ModelResponse | Answer)[]) {
    this.#answers = answers;
  }

  async call(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
    this.requests.push(toJson(request));
    const answer = this.#answers.shift();
    if (!answer) throw new Error('The script of the model has ended.');
    return typeof answer === 'function' ? answer(request, signal) : answer;
  }
}

export const defineTool = (name: string, run: AgentTool['run']): AgentTool => ({
  name,
  description: `Test tool ${name}`,
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run,
});

/** A tool that returns its argument. */
export const ECHO = defineTool('echo', async ({ text }) => `echo: ${String(text)}`);

export async function run(model: AgentModel, options: Partial<AgentOptions> = {}) {
  const transcript = options.transcript ?? new MemoryTranscript();
  const result = await runAgent({
    systemPrompt: 'You are a test.',
    instruction: 'Do it.',
    model,
    transcript,
    tools: [ECHO],
    limits: { maxTurns: 20 },
    contextWindow: 100_000,
    signal: new AbortController().signal,
    ...options,
  });
  return { result, messages: (transcript as MemoryTranscript).current };
}
