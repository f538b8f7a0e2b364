/** Stores the transcript of an attempt as messages of its session, with the texts that are searched, in one fenced transaction. */
import type { AgentMessage, AgentTranscript } from '../../../platform/agent/ports.ts';
import type { Trx } from '../../../platform/db/transaction.ts';
import { appendMessages, compactTranscript, getTotals, readTurns } from '../../../sessions/service.ts';
import { insertMessageTexts } from '../../search/message-texts.ts';
import { creatorScope, type ItemContext } from '../context.ts';

export interface TranscriptOptions {
  readonly sessionId: string;
  readonly agent: string | null;
  readonly systemPrompt: string;
  /** Definitions, as the model gets them. */
  readonly tools: readonly Record<string, unknown>[];
}

export class SessionTranscript implements AgentTranscript {
  readonly #context: ItemContext;
  readonly #options: TranscriptOptions;
  /** `seq` of each message in the session, by the id that the agent loop gave it. */
  readonly #seqs = new Map<string, number>();
  #hasContext = false;

  constructor(context: ItemContext, options: TranscriptOptions) {
    this.#context = context;
    this.#options = options;
  }

  async read() {
    const { tools, organizationId } = this.#context;
    const { sessionId } = this.#options;
    const scope = await creatorScope(this.#context);
    const messages: AgentMessage[] = [];
    for await (const turn of readTurns(tools.db, scope, sessionId)) {
      if (turn.kind === 'prompt') this.#hasContext = true;
      else if (turn.kind === 'compaction') messages.push(this.#take(turn.summary));
      else if (turn.kind === 'orphan') messages.push(this.#take(turn.message));
      else messages.push(...[turn.message, ...turn.results].map((message) => this.#take(message)));
    }
    const totals = await getTotals(tools.db, organizationId, sessionId);
    return { messages, totals: { outputTokens: totals.output_tokens, costUsd: totals.cost_usd } };
  }

  async append(messages: readonly AgentMessage[]): Promise<void> {
    const { row, evaluation } = this.#context;
    const { sessionId, agent, systemPrompt, tools } = this.#options;
    const scope = await creatorScope(this.#context);
    const context = this.#hasContext
      ? undefined
      : { model: evaluation.model, agent, system_prompt: systemPrompt, tools: [...tools] };
    const stored = messages.map(toStored);
    const { messages: places } = await row.save(async (trx) => {
      const appended = await appendMessages(trx, scope, sessionId, { messages: stored, context });
      await this.#index(trx, messages, appended.messages);
      return appended;
    });
    this.#hasContext = true;
    for (const { id, seq } of places) this.#seqs.set(id, seq);
  }

  async compact(summary: AgentMessage, upToId: string): Promise<void> {
    const { row } = this.#context;
    const { sessionId } = this.#options;
    const up_to_seq = this.#seqs.get(upToId);
    if (up_to_seq === undefined) throw new Error(`message ${upToId} is not in session ${sessionId}`);
    const scope = await creatorScope(this.#context);
    await row.save(async (trx) => {
      const { summary: place } = await compactTranscript(trx, scope, sessionId, {
        up_to_seq,
        summary: toStored(summary),
      });
      await this.#index(trx, [summary], [place]);
      this.#seqs.set(place.id, place.seq);
    });
  }

  #take({ role, ...message }: Omit<AgentMessage, 'role'> & { role: string; seq: number }): AgentMessage {
    this.#seqs.set(message.id, message.seq);
    // The role cannot be `system`: sessions store the system prompt as context, not as a message.
    return { ...message, role: role as AgentMessage['role'] };
  }

  #index(
    trx: Trx,
    messages: readonly AgentMessage[],
    places: readonly { readonly seq: number }[],
  ): Promise<void> {
    const { organizationId, evaluationId, item } = this.#context;
    const searched = messages.map(({ content, tool_calls }, index) => ({
      content,
      tool_calls,
      seq: places[index]?.seq ?? 0,
    }));
    return insertMessageTexts(trx, { organizationId, evaluationId, position: item.position }, searched);
  }
}

const toStored = (message: AgentMessage) => ({
  ...message,
  tool_calls: message.tool_calls ? [...message.tool_calls] : null,
  metadata: message.metadata ? { ...message.metadata } : null,
});
