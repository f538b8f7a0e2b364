/** What `start` stores for the job of an assessment: its target and models, and what each finding's attack is run with. */
import type { AgentRun } from '../evaluations/service.ts';
import type { Probe } from '../platform/red-team/ports.ts';
import type { TargetConfig } from './assessments/target-config.ts';

/** `airt_assessments.execution`. */
export interface StoredExecution {
  readonly target: TargetConfig;
  /** The model of a target that is a model or an agent; null for `http`. */
  readonly targetModel: string | null;
  /** null where no attack needs one. */
  readonly attackerModel: string | null;
  readonly judgeModel: string | null;
  readonly attackerSampling: { readonly temperature?: number; readonly max_tokens?: number };
  readonly seed: number;
  /** Whether the user gave a seed. Providers get one only then; simulated models always do. */
  readonly hasSeed: boolean;
  readonly concurrency: number;
  readonly budgetUsd: number | null;
  /** The agent of an `agent` target, with the prompt that it has. */
  readonly agent: {
    readonly name: string;
    readonly systemPrompt: string;
    readonly capability: AgentRun['capability'];
  } | null;
}

/** `airt_findings.request`. */
export interface StoredAttack {
  readonly trials: number;
  readonly threshold: number;
  readonly exhaustive: boolean;
  readonly chains: readonly (readonly string[])[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly canary: string | null;
  /** Whether the canary is added to the system prompt of the target. */
  readonly plantsCanary: boolean;
  /** Prompts that are sent as they are before the attack begins: what succeeded in the finding that is tried again. */
  readonly replayed: readonly string[];
}

/** `airt_trials.delivery`: how a prompt reached the target where it was not sent alone. */
export interface StoredDelivery extends Pick<Probe, 'history' | 'indirect' | 'judgedGoal'> {
  /** Names of the tools that the target was offered. */
  readonly tools?: readonly string[];
}
