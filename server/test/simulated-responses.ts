/** Calls a simulated model, plain or streamed, and reads the response. */
import type { ChatCall, ChatMessage, ChatRequest, TokenUsage } from '../src/platform/llm/chat-model.ts';
import { createSimulatedModel, type SimulatedName } from '../src/platform/llm/simulated/simulated-models.ts';
import { ownRoom } from './response-room.ts';

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    id: string;
    type: string;
    function: { name: string; arguments: string };
  }[];
}

interface Read {
  readonly message: Message;
  readonly finishReason: string;
  readonly usage: TokenUsage | undefined;
  readonly outputLength: number;
}

export function callOf(request: Partial<ChatRequest>, options: Partial<ChatCall> = {}): ChatCall {
  const model = request.model ?? 'echo';
  return {
    id: 'chatcmpl-1',
    request: { messages: [], ...request, model },
    model: `sim/${model}`,
    signal: new AbortController().signal,
    retryCount: 0,
    room: ownRoom(),
    ...options,
  };
}

export function chatOf(model: string) {
  return createSimulatedModel(model as SimulatedName);
}

export async function ask(request: Partial<ChatRequest>, options?: Partial<ChatCall>): Promise<Read> {
  const call = callOf(request, options);
  const { completion, usage, outputLength } = await chatOf(call.request.model).complete(call);
  const [{ message, finish_reason }] = completion.choices as [{ message: Message; finish_reason: string }];
  return { message, finishReason: finish_reason, usage, outputLength };
}

/** Assembles the chunks as a client does. */
export async function askInPieces(
  request: Partial<ChatRequest>,
  options?: Partial<ChatCall>,
): Promise<Read & { chunks: Record<string, unknown>[] }> {
  const call = callOf({ ...request, stream: true }, options);
  const joined = new JoinedChunks();
  for await (const piece of await chatOf(call.request.model).stream(call)) {
    joined.outputLength += piece.outputLength;
    joined.usage = piece.usage ?? joined.usage;
    for (const chunk of piece.chunks) joined.add(chunk as unknown as Chunk);
  }
  return joined;
}

interface Chunk extends Record<string, unknown> {
  readonly choices: readonly {
    readonly delta: {
      role?: string;
      content?: string;
      reasoning_content?: string;
      tool_calls?: {
        index: number;
        id?: string;
        type?: string;
        function: { name?: string; arguments: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
}

class JoinedChunks implements Read {
  readonly chunks: Chunk[] = [];
  outputLength = 0;
  usage: TokenUsage | undefined;

  add(chunk: Chunk): void {
    this.chunks.push(chunk);
  }

  get finishReason(): string {
    return this.#choices.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? '';
  }

  get message(): Message {
    const deltas = this.#choices.map(({ delta }) => delta);
    const content = deltas.map(({ content = '' }) => content).join('');
    const reasoning = deltas.map(({ reasoning_content = '' }) => reasoning_content).join('');
    const parts = deltas.flatMap(({ tool_calls = [] }) => tool_calls);
    const calls = [...Map.groupBy(parts, ({ index }) => index).values()].map((pieces) => ({
      id: pieces[0]?.id ?? '',
      type: pieces[0]?.type ?? '',
      function: {
        name: pieces[0]?.function.name ?? '',
        arguments: pieces.map((piece) => piece.function.arguments).join(''),
      },
    }));
    return {
      role: deltas[0]?.role ?? '',
      content: content === '' && calls.length > 0 ? null : content,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  get #choices() {
    return this.chunks.flatMap(({ choices }) => choices);
  }
}

/** A conversation that begins with the script. */
export const scripted = (script: unknown, ...messages: readonly ChatMessage[]): Partial<ChatRequest> => ({
  model: 'scripted',
  messages: [{ role: 'system', content: `\`\`\`sim\n${JSON.stringify(script)}\n\`\`\`` }, ...messages],
});

export const user = (content: unknown): ChatMessage => ({ role: 'user', content });
export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });
export const toolResult = (content: string): ChatMessage => ({ role: 'tool', tool_call_id: 'a', content });
