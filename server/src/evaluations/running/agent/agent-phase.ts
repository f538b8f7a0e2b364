/** The first half of a sample: an agent in its sandbox, or a single model call. */
import { type AgentResult, readProgress, runAgent, toDefinition } from '../../../platform/agent/agent.ts';
import { AgentTimeout, type AgentTool } from '../../../platform/agent/ports.ts';
import { createTools } from '../../../platform/agent/tools.ts';
import { type EphemeralSandbox, SandboxGone } from '../../../runtimes/service.ts';
import { type Attempt, agentFinished, agentStarted, sandboxStarted } from '../attempt-rows.ts';
import type { ItemContext } from '../context.ts';
import { withSampleSandbox } from '../sample-sandbox.ts';
import { agentConfig, prepare, timeoutOf } from '../task-sandbox.ts';
import { listChangedFiles } from './changed-files.ts';
import { runCommandAgent, setUpAgent } from './command-agent.ts';
import { gatewayModel } from './gateway-model.ts';
import { createMcpTools } from './mcp-tools.ts';
import { SessionTranscript } from './session-transcript.ts';

/** The result of the agent, and the sandbox in which it left its work. */
export interface AgentPhase extends Pick<AgentResult, 'stopReason' | 'answer'> {
  readonly error?: string | undefined;
  /** The sandbox whose /workspace is verified. */
  readonly workspaceFrom: string | null;
}

/** The catalogue of models has no context windows, so one is assumed; where it is smaller, the provider's refusal starts a compaction. */
const CONTEXT_WINDOW_TOKENS = 128_000;

/**
 * @param verify the second half of the sample. It is a callback because the agent's disk, which it takes over, is removed when the
 * callback of the agent's sandbox returns.
 */
export async function runAgentPhase(
  context: ItemContext,
  attempt: Attempt,
  verify: (phase: AgentPhase) => Promise<void>,
): Promise<void> {
  const { item, evaluation } = context;
  if (item.status === 'agent_finished' || item.status === 'verifying')
    return verify(await readFinished(context, attempt));
  if (!evaluation.execution.agent) {
    if (item.status !== 'agent_running') await agentStarted(context);
    const result = await runLoop(context, attempt, []);
    await agentFinished(context, attempt, result, null);
    return verify({ ...result, workspaceFrom: null });
  }
  const { program } = evaluation.execution.agent;
  return withAgentSandbox(context, attempt, async (sandbox, isResumed) => {
    if (!isResumed) {
      await sandboxStarted(context, sandbox.id, sandbox.limits);
      await prepare(context, sandbox);
      if (program) await setUpAgent(context, sandbox, program);
    }
    const tools = program ? [] : await createAllTools(sandbox, context.signal);
    const startedAt = new Date(item.agent_started_at ?? Date.now());
    if (!isResumed) await agentStarted(context);
    const result = await runInSandbox(context, attempt, () =>
      program ? runCommandAgent(context, attempt, sandbox, program) : runLoop(context, attempt, tools),
    );
    await agentFinished(context, attempt, result, await listChangedFiles(sandbox, startedAt));
    await sandbox.end().catch((error: unknown) => {
      // It has ended by itself, or before its host was killed. The verification finds out whether its disk is still there.
      if (!(error instanceof SandboxGone)) throw error;
    });
    return verify({ ...result, workspaceFrom: sandbox.id });
  });
}

/** An agent that ends its own sandbox fails its sample: an infrastructure error would be left out of the pass rate. */
async function runInSandbox(
  context: ItemContext,
  attempt: Attempt,
  run: () => Promise<AgentResult>,
): Promise<AgentResult> {
  try {
    return await run();
  } catch (error) {
    if (!isEndedFromInside(error)) throw error;
    const stored = await readTranscript(context, attempt);
    return { stopReason: 'error', ...stored, error: `The agent ended its sandbox. ${error.message}` };
  }
}

const isEndedFromInside = (error: unknown): error is SandboxGone =>
  error instanceof SandboxGone && error.isEndedFromInside;

async function createAllTools(sandbox: EphemeralSandbox, signal: AbortSignal): Promise<AgentTool[]> {
  const builtIn = createTools(sandbox);
  const names = builtIn.map(({ name }) => name);
  return [...builtIn, ...(await createMcpTools(sandbox, names, signal))];
}

/** Resumes the sandbox of an agent that was running when its worker died. In earlier states a new sandbox is started. */
async function withAgentSandbox<Result>(
  context: ItemContext,
  { sessionId }: Attempt,
  work: (sandbox: EphemeralSandbox, isResumed: boolean) => Promise<Result>,
): Promise<Result> {
  const { item, evaluation } = context;
  const { model, execution } = evaluation;
  const resume = item.status === 'agent_running' ? item.agent_sandbox_id : null;
  const recording = execution.agent?.program && { recording: { sessionId, model } };
  const opened = resume === null ? { config: agentConfig(context), ...recording } : { resume };
  return withSampleSandbox(context, opened, (sandbox) => work(sandbox, resume !== null));
}

async function runLoop(
  context: ItemContext,
  { sessionId }: Attempt,
  tools: readonly AgentTool[],
): Promise<AgentResult> {
  const { evaluation, item, signal } = context;
  const { agent, systemPrompt: callPrompt } = evaluation.execution;
  const { limits } = evaluation.request;
  const systemPrompt = [agent?.systemPrompt ?? callPrompt, item.details?.system ?? item.system]
    .flatMap((part) => part || [])
    .join('\n\n');
  const transcript = new SessionTranscript(context, {
    sessionId,
    agent: agent?.name ?? null,
    systemPrompt,
    tools: tools.map(toDefinition),
  });
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(new AgentTimeout()), await remainingMs(context, sessionId));
  try {
    return await runAgent({
      systemPrompt,
      instruction: item.details?.instruction ?? item.input ?? '',
      ...(item.details?.conversation && { conversation: item.details.conversation }),
      model: gatewayModel(context, sessionId),
      transcript,
      tools,
      limits: {
        maxTurns: agent ? limits.max_turns : 1,
        ...(limits.max_output_tokens && { maxOutputTokens: limits.max_output_tokens }),
        ...(limits.max_cost_usd && { maxCostUsd: limits.max_cost_usd }),
      },
      contextWindow: CONTEXT_WINDOW_TOKENS,
      signal: AbortSignal.any([signal, timer.signal]),
    });
  } finally {
    clearTimeout(timeout);
  }
}

/** Time counts until the last stored message, so that an agent does not lose the time in which no worker had its sample. */
async function remainingMs(context: ItemContext, sessionId: string): Promise<number> {
  const { tools, organizationId, item } = context;
  const allMs = timeoutOf(context) * 1_000;
  if (item.status !== 'agent_running' || item.agent_started_at === null) return allMs;
  const session = await tools.db
    .selectFrom('sessions')
    .select('last_message_at')
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  const last = Date.parse(session?.last_message_at ?? item.agent_started_at);
  return Math.max(0, allMs - Math.max(0, last - Date.parse(item.agent_started_at)));
}

/** Reads the answer from the transcript, since the item keeps only its first 4 KiB. */
async function readFinished(context: ItemContext, attempt: Attempt): Promise<AgentPhase> {
  const { item } = context;
  const { answer: text } = await readTranscript(context, attempt);
  // A program may have answered on its standard output only.
  const answer = text || (item.answer ?? '');
  const stopReason = (item.stop_reason ?? 'finished') as AgentResult['stopReason'];
  const workspaceFrom = item.env_sandbox_id ?? item.agent_sandbox_id;
  return { stopReason, answer, workspaceFrom, ...(item.error !== null && { error: item.error }) };
}

const readTranscript = (context: ItemContext, { sessionId }: Attempt) =>
  readProgress(new SessionTranscript(context, { sessionId, agent: null, systemPrompt: '', tools: [] }));
