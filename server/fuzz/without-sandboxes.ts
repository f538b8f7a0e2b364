/**
 * The server under test has open sign-up, and so runs no sandboxes: operations that need one are requested and refused. Their commands and
 * files have tests of their own.
 */

/** Refused with 502 and the reason. */
export const NEEDS_PROVIDER: ReadonlySet<string> = new Set(['startRuntime']);

/** Operations that cannot succeed without a running sandbox. */
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
