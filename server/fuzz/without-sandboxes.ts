/**
 * The server under test lets anybody sign up, and so runs no sandboxes beside itself: what can only be done with one is asked for
 * and refused. Their commands and files have tests of their own.
 */

/** Refused as 502, which says why. */
export const NEEDS_PROVIDER: ReadonlySet<string> = new Set(['startRuntime']);

/** Nothing is there that it could succeed with. */
export const NEEDS_SANDBOX: ReadonlySet<string> = new Set([
  ...NEEDS_PROVIDER,
  'pauseRuntime',
  'resumeRuntime',
  'resetRuntime',
  'keepRuntimeAlive',
  'execInRuntime',
  'getRuntimeFile',
  'putRuntimeFile',
  'deleteRuntimeFile',
  'listRuntimeFiles',
  'openTerminal',
  'reachRuntimePort',
  'listCapabilityMcpTools',
  'callCapabilityMcpTool',
  'listCapabilityWorkers',
  'getCapabilityWorkerLog',
  'startCapabilityWorker',
  'stopCapabilityWorker',
  'getSandbox',
  'killSandbox',
  'listSandboxLogs',
]);
