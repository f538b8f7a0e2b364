/** The state of a run, derived from the messages of its current era: turns, answer, open tool calls, tokens and cost. */
import type { ChatMessage } from '../llm/chat-model.ts';
import { toStorable } from '../storable-text.ts';
import type { AgentMessage, AgentToolCall, AgentTranscript, AgentUsage, Fields } from './ports.ts';

const CHARACTERS_PER_TOKEN = 4;

/** Prefix for the ids of messages that the run did not write. */
const EARLIER = 'earlier-';

export const isEarlier = (id: string) => id.startsWith(EARLIER);

/** Messages of a conversation that is continued. */
export type Conversation = readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];

export class History {
  readonly #transcript: AgentTranscript;
  #messages: AgentMessage[];
  #outputTokens: number;
  #costUsd: number;

  private constructor(
    transcript: AgentTranscript,
    { messages, totals }: Awaited<ReturnType<AgentTranscript['read']>>,
  ) {
    this.#transcript = transcript;
    this.#messages = [...messages];
    this.#outputTokens = totals.outputTokens;
    this.#costUsd = totals.costUsd;
  }

  static async read(transcript: AgentTranscript): Promise<History> {
    return new History(transcript, await transcript.read());
  }

  /** Reads the transcript. An empty one gets the earlier messages and the instruction. */
  static async open(
    transcript: AgentTranscript,
    {
      instruction,
      conversation = [],
    }: { readonly instruction: string; readonly conversation?: Conversation },
  ): Promise<History> {
    const history = await History.read(transcript);
    if (history.#messages.length > 0) return history;
    const earlier = conversation.map((turn, index) => ({ id: `${EARLIER}${index + 1}`, ...turn }));
    await history.#appendAll([...earlier, { id: 'instruction', role: 'user', content: instruction }]);
    return history;
  }

  /** Replaces what PostgreSQL cannot store, so that the model is sent the same text now and after a replay. */
  async append(message: AgentMessage): Promise<void> {
    await this.#appendAll([message]);
  }

  async #appendAll(messages: readonly AgentMessage[]): Promise<void> {
    const stored = messages.map((message) => toStorable(message));
    await this.#transcript.append(stored);
    this.#messages.push(...stored);
    for (const { usage } of stored) this.#count(usage);
  }

  /** Begins a new era with a summary, which keeps the number of turns and the last answer of the era before. */
  async compact(summary: Pick<AgentMessage, 'content' | 'usage'>): Promise<void> {
    const stored: AgentMessage = toStorable({
      ...summary,
      id: `summary-${this.#summaryCount + 1}`,
      role: 'user' as const,
      metadata: { turns: this.turns, answer: this.answer },
    });
    await this.#transcript.compact(stored, this.#messages.at(-1)?.id ?? '');
    this.#messages = [stored];
    this.#count(stored.usage);
  }

  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /** Sum over all eras, including the calls for summaries. */
  get outputTokens(): number {
    return this.#outputTokens;
  }

  get costUsd(): number {
    return this.#costUsd;
  }

  /** Number of turns of all eras, read from the id of the last turn or of the summary. */
  get turns(): number {
    const turns = /^turn-(\d+)$/.exec(this.#lastTurn?.id ?? '')?.[1] ?? this.#summary?.metadata?.['turns'];
    return Number(turns ?? 0);
  }

  /** Whether the last response is the final one: it calls no tools. */
  get isFinished(): boolean {
    const last = this.#messages.at(-1);
    return last?.role === 'assistant' && (last.tool_calls ?? []).length === 0;
  }

  /** The content of the final response; before that, the last content of the assistant that is not blank, or ''. */
  get answer(): string {
    if (this.isFinished) return this.#lastTurn?.content ?? '';
    const reply = this.#messages.findLast(
      ({ id, role, content }) => role === 'assistant' && !isEarlier(id) && content.trim() !== '',
    );
    const before = this.#summary?.metadata?.['answer'];
    return reply?.content ?? (typeof before === 'string' ? before : '');
  }

  /** Tool calls of the last turn that have no result yet, each with the id that its result gets. */
  get unanswered(): readonly { readonly resultId: string; readonly call: AgentToolCall }[] {
    const turn = this.#lastTurn;
    const known = new Set(this.#messages.map(({ id }) => id));
    return (turn?.tool_calls ?? [])
      .map((call, index) => ({ resultId: `${turn?.id}/${index}`, call }))
      .filter(({ resultId }) => !known.has(resultId));
  }

  /** Tool calls of the last turn that were not stored, since the model made too many at once. */
  get droppedCalls(): number {
    return Number(this.#lastTurn?.metadata?.['dropped_calls'] ?? 0);
  }

  get callIds(): ReadonlySet<string> {
    return new Set(this.#messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id)));
  }

  /** Tokens of the last call plus an estimate of what was added since. 0 when the usage is unknown. */
  get contextTokens(): number {
    const index = this.#messages.findLastIndex(({ role }) => role === 'assistant');
    const usage = this.#messages[index]?.usage;
    if (!usage) return 0;
    const called =
      usage.input_tokens +
      usage.cache_read_input_tokens +
      usage.cache_creation_input_tokens +
      usage.output_tokens;
    const added = this.#messages.slice(index + 1).reduce((sum, { content }) => sum + content.length, 0);
    return called + Math.ceil(added / CHARACTERS_PER_TOKEN);
  }

  get #lastTurn(): AgentMessage | undefined {
    return this.#messages.findLast(({ role }) => role === 'assistant');
  }

  get #summary(): AgentMessage | undefined {
    const [first] = this.#messages;
    return first?.id.startsWith('summary-') ? first : undefined;
  }

  get #summaryCount(): number {
    return Number(this.#summary?.id.slice('summary-'.length) ?? 0);
  }

  #count(usage: AgentUsage | null | undefined): void {
    this.#outputTokens += usage?.output_tokens ?? 0;
    this.#costUsd += usage?.cost_usd ?? 0;
  }
}

/** A stored message in OpenAI's form. */
export function toChatMessage(message: AgentMessage): ChatMessage {
  const { role, content, metadata } = message;
  if (role === 'tool') return { role, tool_call_id: message.tool_call_id, content };
  if (role === 'user') return { role, content };
  const calls = message.tool_calls ?? [];
  const extras = (metadata?.['call_extras'] ?? []) as readonly (Fields | null)[];
  return {
    ...(metadata?.['extra'] as Fields | undefined),
    role,
    content: content === '' ? null : content,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: text }, index) =>
        Object.assign({}, extras[index], { id, type: 'function', function: { name, arguments: text } }),
      ),
    }),
  };
}
