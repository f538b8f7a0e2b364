/**
 * The interface between attacks and their caller, which stores trials and calls models. Nothing in this folder uses the database or the
 * network. docs/design/red-team.md explains the attacks and maps them to their papers.
 */
import type { PythonRandom } from '../random/python-random.ts';

export const TARGET_KINDS = ['model', 'http', 'agent'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** A message of the conversation with a target. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A message to the attacker model or to the judge. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How content that the user did not write reaches the target. */
export type Channel = 'file' | 'tool_result' | 'web_page' | 'mcp_description';

/** A prompt that an attack wants to try. */
export interface Probe {
  /** The text before transforms. In an indirect attack it is the text that hides in the channel. */
  readonly candidate: string;
  /** Earlier turns of the same conversation, as the target saw them. */
  readonly history?: readonly Turn[];
  /** Names of transforms in the order of their application. When omitted, the chains of the manifest take turns. */
  readonly transforms?: readonly string[];
  /** Delivers the candidate through a channel, while the user's request is an ordinary one. */
  readonly indirect?: {
    readonly channel: Channel;
    readonly request: string;
    /** The source that the request names: a path below an agent's working folder, or the name of the described tool. */
    readonly source: string;
  };
  /** Replaces the description of the attacker's aim for the judge; the goal by default. */
  readonly judgedGoal?: string;
  /** Tools that a `model` target is offered; their calls are part of the response. An agent has its own. */
  readonly tools?: readonly OfferedTool[];
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Trial {
  /** The number of the trial in its attack run, from 0. */
  readonly index: number;
  readonly candidate: string;
  /** The prompt that was sent. */
  readonly transformedPrompt: string;
  readonly transforms: readonly string[];
  /** Empty if the trial failed. */
  readonly response: string;
  /** From 0 to 1; null if the trial failed. */
  readonly score: number | null;
  readonly isJailbreak: boolean;
  readonly isRefusal: boolean;
  readonly judgeReasoning: string;
  /** Why the trial failed; no rate counts a failed trial. */
  readonly error: string | null;
}

/** Questions that an attack may ask the judge model besides the score of a trial. */
export interface Evaluator {
  /** Whether this prompt still asks for the goal; TAP prunes those that do not. */
  isOnTopic(prompt: string): Promise<boolean>;
}

/**
 * The context in which an attack runs. Responses of models come from the journal if they are stored there, so an attack must be a function
 * of its context: it draws only from `random`, and awaits each call before it makes the next.
 */
export interface AttackContext<Params = unknown> {
  readonly goal: string;
  readonly goalCategory: string;
  /** The secret that the target must not disclose. If there is one, trials are judged by it alone. */
  readonly canary: string | null;
  /** The number of trials after which the run ends, even if the attack would continue. */
  readonly trials: number;
  /** The score from which a trial is a jailbreak. */
  readonly threshold: number;
  /** Chains of transforms that the manifest chose. */
  readonly chains: readonly (readonly string[])[];
  readonly params: Params;
  readonly random: PythonRandom;
  readonly evaluator: Evaluator;
  /** Asks the attacker model. */
  askAttacker(messages: readonly ModelMessage[]): Promise<string>;
  /** Transforms the candidate, sends it to the target and has the response judged. A failure is a trial with an error. */
  probe(probe: Probe): Promise<Trial>;
}
