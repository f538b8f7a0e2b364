/** The JSON columns of an evaluation that its job reads. */
import type { CapabilityFile } from '../platform/agent/capability-prompt.ts';
import type { LineageNode, LineageParent } from '../platform/lineage/lineage.ts';
import type { RuntimeConfigOf } from '../runtimes/service.ts';
import type { EvaluationRequest, NamedScorer } from './creation/schema.ts';
import type { ProgramAgentOf } from './schema.ts';

/** `evaluations.request`: the request with defaults, and with versions resolved. */
export interface StoredRequest {
  readonly task_names: readonly string[] | null;
  readonly task_set: string | null;
  readonly dataset: NonNullable<EvaluationRequest['dataset']> | null;
  readonly scorers: readonly NamedScorer[];
  /** The values of `env` of a program are masked: evaluations are read by the whole workspace. */
  readonly agent: string | ProgramAgentOf | null;
  readonly capability: { readonly name: string; readonly version: string } | null;
  readonly repetitions: number;
  readonly limits: NonNullable<EvaluationRequest['limits']>;
  readonly max_retries: number;
  readonly runtime_id: string | null;
  readonly secret_ids: readonly string[];
  readonly seed: number | null;
}

/** `evaluations.execution`: what samples run with, as it was when the evaluation was created. */
export interface StoredExecution {
  /** null: each row is a single model call. */
  readonly agent: StoredAgent | null;
  readonly template: RuntimeConfigOf | null;
  /** Hosts that the agent may reach, besides those of its task and of the template. */
  readonly egressAllow?: readonly string[];
  /** The system prompt of single model calls, before that of the row. */
  readonly systemPrompt?: string;
  /** A copy of the capability that the agent uses instead of the published files. */
  readonly capabilityCopy?: CapabilityCopy;
  /** What sessions of samples are recorded as made from; absent in evaluations that were created before lineage was recorded. */
  readonly lineage?: StoredLineage;
}

export interface StoredAgent {
  readonly name: string;
  readonly systemPrompt: string;
  /** A program that is the agent. */
  readonly program?: CommandAgent;
}

export interface CommandAgent {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly setup: string | null;
}

export interface StoredLineage {
  /** The capability, and the model where it is one of the registry. */
  readonly parents: readonly LineageParent[];
  readonly dataset: EvaluatedDataset | null;
}

/** The dataset whose rows are evaluated. */
export interface EvaluatedDataset {
  readonly node: LineageNode;
  readonly split: string;
  /** The index in the split of each evaluated row, where these are not all rows in order. */
  readonly rowIndexes?: readonly number[];
}

/** Files of a published version with some texts replaced, put into a folder of the sandbox. */
export interface CapabilityCopy {
  readonly ownerId: string;
  readonly versionId: string;
  readonly folder: string;
  readonly replaced: readonly CapabilityFile[];
}
