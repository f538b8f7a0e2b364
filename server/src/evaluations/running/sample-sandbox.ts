/** Sandboxes of a sample that outlive the work in them when the same attempt is to be continued, by this worker or by another. */
import { ApiError } from '../../platform/errors.ts';
import { JobCancelled } from '../../platform/jobs/job-row.ts';
import { type EphemeralSandbox, SandboxGone, type SandboxRequest } from '../../runtimes/service.ts';
import { type ItemContext, originOf, ownerOf, SampleCancelled } from './context.ts';
import { SetupFailed } from './task-sandbox.ts';

const KEPT_SECONDS = 90;

/** Errors that the sample records as `infra_error`. Every other error is a defect of Drydock and fails the step of the job. */
export const isInfrastructure = (error: unknown): error is Error =>
  error instanceof ApiError || error instanceof SetupFailed;

/**
 * The host of a sandbox cannot be reached now, or failed itself, as while its database restarts: it answers that with a 500. Its sandboxes
 * live on.
 */
export const isHostTrouble = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.type === 'sandbox_provider_error' || error.status === 500) &&
  !(error instanceof SandboxGone);

/** A running sandbox to resume by its id, or a new one. */
type Opened = { readonly resume: string } | Pick<SandboxRequest, 'config' | 'workspaceFrom' | 'recording'>;

/**
 * The sandbox is removed when the work returns, the sample is cancelled or the attempt is given up. It is kept when this worker stops, its
 * host cannot be reached, or a defect fails the step, which must not cost the sample an attempt.
 */
export async function withSampleSandbox<Result>(
  context: ItemContext,
  opened: Opened,
  work: (sandbox: EphemeralSandbox) => Promise<Result>,
): Promise<Result> {
  const { signal, tools } = context;
  let current: EphemeralSandbox | undefined;
  const keep = () => current?.keep(KEPT_SECONDS).catch(() => undefined);
  // An aborted sandbox cannot be kept any more, so its signal is aborted after it was kept.
  const held = new AbortController();
  const letGo = async () => {
    if (!isCancelled(signal)) await keep();
    held.abort(signal.reason);
  };
  const onAbort = () => void letGo();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const run = async (sandbox: EphemeralSandbox) => {
    current = sandbox;
    try {
      return await work(sandbox);
    } catch (error) {
      // A write may be refused because of the cancel before the signal tells of it.
      const wasCancelled = isCancelled(signal) || isCancel(error);
      if (!wasCancelled && (isHostTrouble(error) || !isInfrastructure(error))) await keep();
      throw error;
    }
  };
  const request = { owner: ownerOf(context), signal: held.signal };
  try {
    return 'resume' in opened
      ? await tools.sandboxes.resumeSandbox({ ...request, id: opened.resume }, run)
      : await tools.sandboxes.withSandbox(
          { ...request, ...opened, origin: originOf(context), allowsUnenforcedLimits: true },
          run,
        );
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const isCancel = (reason: unknown) => reason instanceof SampleCancelled || reason instanceof JobCancelled;

const isCancelled = ({ reason }: AbortSignal) => isCancel(reason);
