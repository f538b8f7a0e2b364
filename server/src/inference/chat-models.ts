/** Models by the kind of their provider, on connections that all of them share. */
import { OpenAICompatibleModel } from '../platform/llm/openai-compatible/openai-compatible-model.ts';
import { createSimulatedModel } from '../platform/llm/simulated/simulated-models.ts';
import { TranslatedModel } from '../platform/llm/translated/translated-model.ts';
import { GuardedClient } from '../platform/net/guarded-client.ts';
import type { ChatModelMakers, ProviderAccess } from './catalog.ts';

export interface ChatModels {
  readonly makers: ChatModelMakers;
  /** Ends the connections that are kept. */
  close(): void;
}

/** @param allowsPrivate whether they may also be at addresses of this machine and its network */
export function openChatModels(allowsPrivate: boolean): ChatModels {
  const client = new GuardedClient(allowsPrivate ? { isReachable: () => true } : {});
  const translated = (kind: 'anthropic' | 'google') => (access: ProviderAccess) =>
    new TranslatedModel(client, { kind, ...access });
  return {
    makers: {
      openai_compatible: (access) => new OpenAICompatibleModel(client, access),
      anthropic: translated('anthropic'),
      google: translated('google'),
      simulated: createSimulatedModel,
    },
    close: () => client.close(),
  };
}
