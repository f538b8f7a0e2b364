/** A gateway with an Anthropic provider and an OpenAI provider, and Anthropic's own client for it. */
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { expect } from 'vitest';
import { useForeignProvider } from './foreign-provider.ts';
import { startOpenAiWorld } from './openai-world.ts';

export const CLAUDE_KEY = 'sk-ant-the-key-of-the-provider';

export async function startAnthropicWorld() {
  const claude = await useForeignProvider();
  const listed = {
    name: 'claude',
    kind: 'anthropic',
    base_url: `${claude.url}/v1`,
    api_key: CLAUDE_KEY,
    models: [{ name: 'sonnet', input_price: 3, output_price: 15, cache_read_price: 0.3 }],
  };
  const world = await startOpenAiWorld({}, {}, [listed]);
  const clientOf = (apiKey: string, maxRetries = 0) =>
    new Anthropic({ baseURL: world.inferenceUrl, apiKey, maxRetries });
  return { ...world, claude, clientOf, client: clientOf(world.server.owner.key) };
}

/** Returns the error of Anthropic's client with which the work fails. */
export async function anthropicFailureOf(work: PromiseLike<unknown>): Promise<APIError> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

/** The body of an error, as Anthropic's client keeps it. */
export const errorOf = (failure: APIError) =>
  (failure.error as { readonly error: { readonly type: string; readonly message: string } }).error;
