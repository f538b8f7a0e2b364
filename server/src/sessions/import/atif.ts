/** Reads ATIF documents. Members that a session has no field for are kept and returned by the next export. */
import { isUuid } from '../../platform/fields.ts';
import { Agent, Model } from '../schema.ts';
import { type ImportedAtif, UNKNOWN } from '../trajectory/atif.ts';
import { splitSessionExtra, splitStepExtra } from '../trajectory/atif-notes.ts';
import {
  AGENT_ONLY,
  isCompaction,
  isGiven,
  type JsonObject,
  type StepOf,
  type TrajectoryOf,
  textOf,
} from '../trajectory/atif-schema.ts';
import { readTrajectory } from './atif-rules.ts';
import { toMessages, toResultMessages, toSummary } from './atif-steps.ts';
import { DocumentCheck } from './document-check.ts';
import type { ImportedMessage, ImportedSession } from './imported-session.ts';

/** Validation errors name the path in the document, which is the request body. */
export async function readAtif(given: unknown): Promise<ImportedSession> {
  const check = new DocumentCheck();
  const document = await readTrajectory(check, given);
  check.finish();
  return toSession(document as TrajectoryOf, check);
}

async function toSession(document: TrajectoryOf, check: DocumentCheck): Promise<ImportedSession> {
  const transcript = new Transcript();
  for (const [index, step] of document.steps.entries()) {
    transcript.add(step, index === 0);
    await check.pause();
  }
  const { notes: ours, rest } = splitSessionExtra(document.extra);
  const { agent, session_id, steps } = document;
  const named = [agent, ...steps].find(({ model_name }) => model_name && Model.safeParse(model_name).success);
  const model = named?.model_name ?? UNKNOWN;
  return {
    id: session_id && isUuid(session_id) ? session_id.toLowerCase() : undefined,
    title: ours.title ?? null,
    labels: ours.labels,
    model,
    agent: isAgentName(agent.name) ? agent.name : null,
    tools: agent.tool_definitions ? [...agent.tool_definitions] : null,
    messages: transcript.messages,
    prompts: Array.from(transcript.prompts, ([from_seq, content]) => ({ from_seq, content })),
    compactions: transcript.compactions,
    imported: { atif: toImported(document, rest, transcript, named === agent ? undefined : model) },
  };
}

const isAgentName = (name: string) => name !== UNKNOWN && Agent.safeParse(name).success;

function toImported(
  document: TrajectoryOf,
  extra: JsonObject,
  { messages, prompt }: Transcript,
  assumed_model: string | undefined,
): ImportedAtif {
  const { agent, notes, continued_trajectory_ref, subagent_trajectories, final_metrics } = document;
  return {
    agent: {
      name: isAgentName(agent.name) || agent.name === UNKNOWN ? undefined : agent.name,
      version: agent.version === UNKNOWN ? undefined : agent.version,
      extra: agent.extra ?? undefined,
    },
    assumed_model,
    prompt,
    notes: notes ?? undefined,
    continued_trajectory_ref: continued_trajectory_ref ?? undefined,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
    subagent_trajectories: subagent_trajectories ?? undefined,
    final_metrics: final_metrics ?? undefined,
    message_count: messages.length,
  };
}

/** Collects the steps as messages, in their order. */
class Transcript {
  readonly messages: ImportedMessage[] = [];
  /** System prompts by the sequence number of the first message that they apply to. */
  readonly prompts = new Map<number, string>();
  readonly compactions: { up_to_seq: number; summary_seq: number }[] = [];
  prompt: ImportedAtif['prompt'];

  add(step: StepOf, isFirst: boolean): void {
    const { kind } = step.source === 'system' ? splitStepExtra(step.extra).notes : {};
    if (kind === 'empty' && step.message === '') return;
    if (step.source === 'system' && isCompaction(step.extra?.['context_management'])) this.#addSummary(step);
    else if (kind === 'prompt') this.#addPrompt(step);
    else if (isFirst && kind === undefined && isPlain(step)) this.#addFirstPrompt(step);
    else if (kind === 'result') this.#addMessages(toResultMessages(step));
    else this.#addMessages(toMessages(step));
  }

  #addMessages(messages: readonly ImportedMessage[]): void {
    for (const message of messages) this.messages.push(message);
  }

  /** Adds a summary, which replaces everything before it. */
  #addSummary(step: StepOf): void {
    const up_to_seq = this.messages.length;
    this.messages.push(toSummary(step));
    this.compactions.push({ up_to_seq, summary_seq: up_to_seq + 1 });
  }

  #addPrompt({ message }: StepOf): void {
    this.prompts.set(this.messages.length + 1, textOf(message));
  }

  #addFirstPrompt(step: StepOf): void {
    this.#addPrompt(step);
    const { step_id: _, source: _source, message, ...others } = step;
    const given = Object.entries(others).filter(([, value]) => isGiven(value));
    const isText = typeof message === 'string';
    if (given.length === 0 && isText) return;
    this.prompt = {
      content: textOf(message),
      step: { ...Object.fromEntries(given), ...(!isText && { message }) },
    };
  }
}

/** Tells whether a system step has nothing but its text: the first such step is the system prompt. */
function isPlain(step: StepOf): boolean {
  return step.source === 'system' && !step.observation && AGENT_ONLY.every((field) => !isGiven(step[field]));
}
