/** Chats with the models of a scripted provider, called as the gateway calls them. */
import { onTestFinished } from 'vitest';
import type { ChatCall, ChatRequest, StreamPiece } from '../src/platform/llm/chat-model.ts';
import {
  OpenAICompatibleModel,
  type OpenAICompatibleProvider,
} from '../src/platform/llm/openai-compatible/openai-compatible-model.ts';
import { GuardedClient, type GuardedClientOptions } from '../src/platform/net/guarded-client.ts';
import type { ModelProvider } from './model-provider.ts';
import { ownRoom } from './response-room.ts';
import { WAIT_TIMEOUT_MS } from './wait-timeout.ts';

export const ID = 'chatcmpl-0190a0b0c0d07000800000000000abcd';
export const KEY = 'sk-very-secret-key';
export const JSON_TYPE = { 'content-type': 'application/json' };

export function openModelOf(
  provider: ModelProvider,
  more: Partial<OpenAICompatibleProvider> = {},
  options: GuardedClientOptions = { isReachable: () => true },
): OpenAICompatibleModel {
  const client = new GuardedClient(options);
  onTestFinished(() => client.close());
  return new OpenAICompatibleModel(client, {
    name: 'acme',
    apiKey: KEY,
    baseUrl: provider.baseUrl,
    timeoutMs: WAIT_TIMEOUT_MS,
    ...more,
  });
}

export function ask(more: Partial<ChatRequest> = {}, signal = new AbortController().signal): ChatCall {
  const request = { model: 'large', messages: [{ role: 'user', content: 'Hi' }], ...more };
  return { id: ID, request, model: 'acme/large', signal, retryCount: 0, room: ownRoom() };
}

export const askStream = (more: Partial<ChatRequest> = {}, signal?: AbortSignal) =>
  ask({ stream: true, ...more }, signal);

export async function readAll(pieces: AsyncIterable<StreamPiece>) {
  const all = await Array.fromAsync(pieces);
  return {
    chunks: all.flatMap(({ chunks }) => chunks),
    usage: all.findLast(({ usage }) => usage)?.usage,
    outputLength: all.reduce((sum, { outputLength }) => sum + outputLength, 0),
  };
}

export const stream = async (model: OpenAICompatibleModel, call: ChatCall) =>
  readAll(await model.stream(call));
