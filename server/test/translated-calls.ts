/** Calls of translated models, and their results. */
import type { ChatCall, ChatModel, ChatResponse, TokenUsage } from '../src/platform/llm/chat-model.ts';
import { TranslatedModel } from '../src/platform/llm/translated/translated-model.ts';
import type { TranslatedProvider } from '../src/platform/llm/translated/translated-provider.ts';
import { GuardedClient } from '../src/platform/net/guarded-client.ts';
import { ownRoom } from './response-room.ts';
import { WAIT_TIMEOUT_MS } from './wait-timeout.ts';

/** Reaches providers on this machine, and treats a broken connection as stale even if a busy machine notices it late. */
const client = new GuardedClient({ isReachable: () => true, staleMs: WAIT_TIMEOUT_MS });

type Kind = TranslatedProvider['kind'];

const NAMES = { anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-flash' } as const;
const KEYS = { anthropic: 'sk-ant-secret', google: 'AIza-secret' } as const;
const VERSIONS = { anthropic: '/v1', google: '/v1beta' } as const;

export function translatedModel(kind: Kind, url: string, more: Partial<TranslatedProvider> = {}): ChatModel {
  return new TranslatedModel(client, {
    kind,
    name: 'far',
    baseUrl: `${url}${VERSIONS[kind]}`,
    apiKey: KEYS[kind],
    maxOutputTokens: 8192,
    timeoutMs: WAIT_TIMEOUT_MS,
    ...more,
  });
}

export function translatedCall(
  body: Readonly<Record<string, unknown>>,
  {
    kind = 'anthropic',
    signal = new AbortController().signal,
    room = ownRoom(),
  }: { kind?: Kind } & Partial<Pick<ChatCall, 'signal' | 'room'>> = {},
): ChatCall {
  return {
    id: 'chatcmpl-0198c0defeed70008000000000000001',
    request: { messages: [{ role: 'user', content: 'Hello' }], ...body, model: NAMES[kind] },
    model: kind === 'anthropic' ? 'claude/sonnet' : 'gemini/flash',
    signal,
    retryCount: 0,
    room,
  };
}

export const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  },
};

interface Completion {
  readonly choices: readonly [
    {
      readonly message: { readonly role: string; readonly content: string | null };
      readonly finish_reason: string;
    },
  ];
}

export function completionOf({ completion }: ChatResponse): Completion {
  return completion as unknown as Completion;
}

export interface Streamed {
  readonly chunks: object[];
  usage: TokenUsage | undefined;
  outputLength: number;
}

/** @param into receives the chunks so far, for callers that expect a failure */
export async function chunksOf(
  model: ChatModel,
  call: ChatCall,
  into: Streamed = { chunks: [], usage: undefined, outputLength: 0 },
): Promise<Streamed> {
  for await (const { chunks, usage, outputLength } of await model.stream(call)) {
    into.usage = usage ?? into.usage;
    into.outputLength += outputLength;
    into.chunks.push(...chunks);
  }
  return into;
}
