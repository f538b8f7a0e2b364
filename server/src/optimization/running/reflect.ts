/** Calls the reflection model for a better text and stores the answer. A replay reads the stored answer instead of calling again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { findProjectId } from '../../accounts/service.ts';
import { isOutOfCredits, toModelResponse } from '../../evaluations/service.ts';
import type { ModelResponse } from '../../platform/agent/ports.ts';
import { ApiError } from '../../platform/errors.ts';
import { recordLineage, toWorkspaceNode } from '../../platform/lineage/lineage.ts';
import { ReflectionFailed, type ReflectionRequest } from '../../platform/optimizer/ports.ts';
import { extractText } from '../../platform/optimizer/reflection-prompt.ts';
import { toStorableText } from '../../platform/storable-text.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { appendMessages, createSession } from '../../sessions/service.ts';
import { toJobNode } from '../lineage.ts';
import { creatorScope, type JobContext, OutOfCredits } from './context.ts';
import type { Journal } from './journal.ts';

/** Delays before a failed call is made again: three calls in all. */
const BACKOFF_MS = [1_000, 4_000];

/**
 * @throws {ReflectionFailed}
 * @throws {OutOfCredits}
 */
export async function reflect(
  context: JobContext,
  journal: Journal,
  request: ReflectionRequest,
): Promise<string> {
  const stored = findStored(context, journal, request);
  if (stored) {
    if (stored.error !== null) throw new ReflectionFailed(stored.error);
    return stored.response ?? '';
  }
  const sessionId = uuidv7();
  const response = await callModel(context, sessionId, request.prompt).catch((error: unknown) => {
    context.work.signal.throwIfAborted();
    if (isOutOfCredits(error)) throw new OutOfCredits(error.message);
    if (!(error instanceof ApiError) || error.type === 'forbidden_error') throw error;
    return error;
  });
  const error =
    response instanceof ApiError ? toStorableText(response.message) : findProblem(response.content);
  await save(context, request, sessionId, response, error);
  if (error !== null) throw new ReflectionFailed(error);
  return response instanceof ApiError ? '' : response.content;
}

/** An inherited answer is used where it answers the same prompt. */
function findStored({ work }: JobContext, journal: Journal, request: ReflectionRequest) {
  const stored = journal.findReflection(request);
  const fits = stored?.paid_by === work.id || stored?.prompt === toStorableText(request.prompt);
  return fits ? stored : undefined;
}

/** The files of a capability that make up prompts have at most 256 KiB, frontmatter included. */
const MAX_TEXT_BYTES = 200 * 1_024;

/** @returns why the answer cannot be a new text */
function findProblem(answer: string): string | null {
  const text = extractText(answer);
  if (text === '') return 'The reflection model answered without a text.';
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_TEXT_BYTES) return null;
  return `The new text has ${bytes} bytes; at most ${MAX_TEXT_BYTES} can be used.`;
}

async function callModel(context: JobContext, sessionId: string, prompt: string): Promise<ModelResponse> {
  const { tools, work, job } = context;
  const { organizationId, signal } = work;
  const model = modelOf(context);
  for (const waitMs of [...BACKOFF_MS, undefined]) {
    // `callModel` does not check rights, so they are checked before credits are spent.
    await creatorScope(context);
    try {
      const called = await tools.inference.callModel({
        organizationId,
        userId: job.created_by,
        request: { model, messages: [{ role: 'user', content: prompt }] },
        links: { sessionId, traceId: null, spanId: null },
        signal,
      });
      const response = toModelResponse(called);
      // The first run has to use the same text as a replay, which reads the stored one.
      return { ...response, content: toStorableText(response.content) };
    } catch (error) {
      if (waitMs === undefined || isOutOfCredits(error) || !isTransient(error)) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
  throw new Error('unreachable');
}

const isTransient = (error: unknown) =>
  error instanceof ApiError && (error.status >= 500 || error.status === 429);

const modelOf = ({ job }: JobContext) => job.request.config.reflection_lm ?? job.model;

/** Stores the answer with a session that shows the call, or the error. */
async function save(
  context: JobContext,
  { iteration, proposal, component, prompt }: ReflectionRequest,
  sessionId: string,
  response: ModelResponse | ApiError,
  error: string | null,
): Promise<void> {
  const { work, job } = context;
  const model = modelOf(context);
  const scope = await creatorScope(context);
  const hasFailed = response instanceof ApiError;
  await work.save(async (trx) => {
    if (!hasFailed) {
      const projectId = job.project_id === null ? null : await findProjectId(trx, scope, job.project_id);
      const title = `Reflection on ${component}, iteration ${iteration}`.slice(0, 255);
      const { content, usage } = response;
      await createSession(trx, scope, {
        id: sessionId,
        model,
        agent: null,
        title,
        origin: 'optimization',
        visibility: 'workspace',
        // A project may be deleted while the job runs.
        project_id: projectId ?? null,
      });
      // The prompt of a reflection holds examples, so what is made of its session is shaped by the job.
      const run = toJobNode({ workspaceId: job.workspace_id, id: work.id });
      const node = toWorkspaceNode('session', { workspaceId: job.workspace_id, id: sessionId });
      await recordLineage(trx, work.organizationId, [{ node, parents: [{ node: run, relation: 'run' }] }]);
      const messages = [
        { id: uuidv7(), role: 'user' as const, content: prompt, tool_calls: null, metadata: null },
        { id: uuidv7(), role: 'assistant' as const, content, usage, tool_calls: null, metadata: null },
      ];
      await appendMessages(trx, scope, sessionId, { messages, context: undefined });
    }
    const values = {
      paid_by: work.id,
      prompt: toStorableText(prompt),
      response: hasFailed ? null : response.content,
      error,
      session_id: hasFailed ? null : sessionId,
      cost_usd: hasFailed ? 0 : (response.usage?.cost_usd ?? 0),
    };
    const key = { organization_id: work.organizationId, job_id: work.id, iteration, proposal, component };
    // An inherited answer to another prompt may stand there.
    await trx
      .insertInto('optimization_reflections')
      .values({ ...key, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'job_id', 'iteration', 'proposal', 'component'])
          .doUpdateSet(values),
      )
      .execute();
  });
}
