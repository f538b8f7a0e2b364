/** The built-in simulated models: they are free, call no provider, and are labelled as simulated wherever they are shown. */
import type { SimulatedName } from '../platform/llm/simulated/simulated-models.ts';
import type { Price } from './offered-model.ts';

/** Provider name of the simulated models, which no organization can use for its own provider. */
export const SIMULATED = 'sim';

export const FREE: Price = { input_price: 0, output_price: 0, cache_read_price: 0, cache_creation_price: 0 };

export interface SimulatedModel {
  readonly id: string;
  readonly name: SimulatedName;
  readonly maxOutputTokens: number;
}

const NAMES: readonly SimulatedName[] = [
  'echo',
  'scripted',
  'tool-user',
  'noisy-tool-user',
  'instructed',
  'reflector',
  'guarded',
  'attacker',
  'judge',
  'embedder',
];

export const SIMULATED_MODELS: readonly SimulatedModel[] = NAMES.map((name) => ({
  id: `${SIMULATED}/${name}`,
  name,
  maxOutputTokens: 8_192,
}));

export const findSimulated = (id: string) => SIMULATED_MODELS.find((model) => model.id === id);
