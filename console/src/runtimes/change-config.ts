/** Changes a part of a runtime's configuration. The API replaces all of it at once. */
import type { OneRuntime, RuntimeConfig, RuntimeConfigResponse } from '@drydock/sdk';
import { drydock } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useReadRuntimesAgain } from './queries.ts';

type SandboxConfig = RuntimeConfigResponse['sandbox'];

/** The defaults of the API. */
const DEFAULT_RESOURCES = { cpu_cores: 2, memory_mb: 2_048 };

/**
 * The configuration that was read has its defaults filled in. A start refuses limits that were asked for and cannot be enforced, so
 * defaults must not be sent back as if someone had asked for them.
 */
const toRequested = ({
  cpu_cores,
  memory_mb,
}: RuntimeConfigResponse['resources']): RuntimeConfig['resources'] => ({
  ...(cpu_cores !== DEFAULT_RESOURCES.cpu_cores && { cpu_cores }),
  ...(memory_mb !== DEFAULT_RESOURCES.memory_mb && { memory_mb }),
});

/** @returns an action that is given a function from the current settings of the sandbox to those to change */
export function useChangeSandboxConfig(target: OneRuntime, onDone?: () => void) {
  const readAgain = useReadRuntimesAgain();
  return useAction(
    async (change: (sandbox: SandboxConfig) => Partial<SandboxConfig>) => {
      const config = await drydock.runtimes.getConfig(target);
      const sandbox = { ...config.sandbox, ...change(config.sandbox) };
      return drydock.runtimes.replaceConfig(target, {
        ...config,
        resources: toRequested(config.resources),
        sandbox,
      });
    },
    async () => {
      await readAgain();
      onDone?.();
    },
  );
}
