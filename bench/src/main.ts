/** `npm run bench -- <name>`: measures, prints a table, and exits with 1 when a bound is missed. */
import { benchBatcher } from './batcher.ts';
import { benchContainers } from './containers.ts';
import { benchConversion } from './conversion.ts';
import { benchEvaluationSearch } from './evaluation-search.ts';
import { benchEvaluations } from './evaluations.ts';
import { benchHttp } from './http.ts';
import { benchInference } from './inference.ts';
import { benchLimits } from './limits.ts';
import { benchLineage } from './lineage.ts';
import { benchOptimizer } from './optimizer.ts';
import { benchOtlp } from './otlp.ts';
import { benchPorts } from './ports.ts';
import { benchRedTeam } from './red-team.ts';
import { benchRegistry } from './registry.ts';
import { benchRuntimes } from './runtimes.ts';
import { benchSessions } from './sessions.ts';
import { benchSql } from './sql.ts';
import { benchStart } from './start.ts';
import { benchStorage } from './storage.ts';
import { benchTaskSets } from './task-sets.ts';

interface Bench {
  readonly summary: string;
  /** @returns whether every bound was kept; resources are released through `undo` */
  readonly run: (args: string[], undo: AsyncDisposableStack) => Promise<boolean>;
}

const BENCHES = new Map<string, Bench>([
  [
    'batcher',
    {
      summary: 'inserts through the batcher, against one by one [--rounds 5] [--seconds 3]',
      run: benchBatcher,
    },
  ],
  [
    'containers',
    {
      summary: 'runtimes in containers, against bare docker run at an engine of its own [--rounds 20]',
      run: benchContainers,
    },
  ],
  [
    'conversion',
    {
      summary:
        'a million rows from jsonl to parquet, against the bare statement [--rounds 5] [--rows 1000000]',
      run: benchConversion,
    },
  ],
  [
    'evaluation-search',
    {
      summary: 'searches in evaluations of 5,000 and 100,000 messages [--rounds 40] [--million]',
      run: benchEvaluationSearch,
    },
  ],
  [
    'evaluations',
    {
      summary:
        'samples of an agent in sandboxes: what is added to models and sandboxes, and samples a second beside Inspect AI ' +
        '[--samples 200] [--concurrency 8] [--inspect <python with inspect-ai>]',
      run: benchEvaluations,
    },
  ],
  [
    'http',
    {
      summary:
        'what checks and answers cost, against bare Fastify [--rounds 5] [--seconds 5] [--cpu-prof <dir>]',
      run: benchHttp,
    },
  ],
  [
    'inference',
    {
      summary:
        'calls of models through the gateway, against the provider itself and a bare proxy [--rounds 5] [--seconds 4] ' +
        '[--calls 1000] [--cpu-prof <dir>]',
      run: benchInference,
    },
  ],
  [
    'limits',
    {
      summary: 'what counting requests costs writes, limits on against off [--rounds 5] [--seconds 5]',
      run: benchLimits,
    },
  ],
  [
    'lineage',
    {
      summary: 'the nearest page of 10,000 ancestors, direct and in a chain [--rounds 40]',
      run: benchLineage,
    },
  ],
  [
    'optimizer',
    {
      summary:
        'decisions of the optimizer with many candidates, and its memory [--candidates 500] [--rows 500] [--iterations 100]',
      run: benchOptimizer,
    },
  ],
  [
    'otlp',
    {
      summary:
        'spans stored, reads beside them, overload, growth [--only throughput,steady,overload,growth] [--seconds 30] ' +
        '[--spans 20000000] [--cpu-prof <dir>]',
      run: benchOtlp,
    },
  ],
  [
    'ports',
    {
      summary:
        'requests to ports of runtimes, against the same program reached directly [--calls 1000] [--rounds 5] ' +
        '[--seconds 4] [--megabytes 1000]',
      run: benchPorts,
    },
  ],
  [
    'red-team',
    {
      summary: 'an assessment of 12 attacks, 6 goals and 10 trials against sim/guarded [--trials 10]',
      run: benchRedTeam,
    },
  ],
  [
    'registry',
    {
      summary: 'lists of 100,000 models, against the bare statements, and their plans [--rounds 40]',
      run: benchRegistry,
    },
  ],
  [
    'runtimes',
    {
      summary:
        'create, start, exec, pause and resume of runtimes beside bare bwrap, moves of a workspace, and the memory of ' +
        'many at once [--rounds 100] [--moves 30] [--runtimes 100]',
      run: benchRuntimes,
    },
  ],
  [
    'sessions',
    {
      summary:
        'saves, appends, pages, export, facets, lists of sessions [--only <some of them>] [--rounds 5] [--seconds 5] ' +
        '[--messages 100000] [--sessions 1000000] [--listed 10000000] [--cpu-prof <dir>]',
      run: benchSessions,
    },
  ],
  [
    'sql',
    {
      summary:
        'exports against the bare pipeline, few columns against all, reads beside an export [--only export,columns,reads] ' +
        '[--rounds 5] [--rows 1000000] [--large-rows 10000000] [--seconds 30]',
      run: benchSql,
    },
  ],
  [
    'start',
    {
      summary: 'time to healthy, memory and CPU when idle [--rounds 5] [--idle-seconds 300]',
      run: benchStart,
    },
  ],
  [
    'storage',
    {
      summary:
        'objects through the gateway, against bare servers and dd [--rounds 5] [--seconds 5] [--cpu-prof <dir>]',
      run: benchStorage,
    },
  ],
  [
    'task-sets',
    {
      summary: 'lists of 100,000 task sets, manifests of 10,000 members, against bare SQL [--rounds 40]',
      run: benchTaskSets,
    },
  ],
]);

function list(): void {
  console.log('npm run bench -- <name>');
  for (const [name, { summary }] of BENCHES) console.log(`  ${name.padEnd(18)}${summary}`);
}

async function run(bench: Bench, args: string[]): Promise<number> {
  const undo = new AsyncDisposableStack();
  let ending: Promise<void> | undefined;
  let isInterrupted = false;
  const end = () => (ending ??= undo.disposeAsync());
  const interrupt = () => {
    isInterrupted = true;
    void end().finally(() => process.exit(130));
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    return (await bench.run(args, undo)) ? 0 : 1;
  } catch (error) {
    // An interrupted benchmark fails only because its own servers are gone.
    if (!isInterrupted) console.error(error);
    return 1;
  } finally {
    await end();
  }
}

const [name, ...args] = process.argv.slice(2);
const bench = BENCHES.get(name ?? '');
if (bench) {
  process.exitCode = await run(bench, args);
} else {
  list();
  process.exitCode = name === undefined ? 0 : 2;
}
