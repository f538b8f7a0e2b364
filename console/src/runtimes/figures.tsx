/** Badges, times and limits of runtimes, as the list and the pages show them. */
import type { Runtime, RuntimeInstanceData } from '@drydock/sdk';
import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatDuration } from '../components/format.ts';
import { useWhere } from '../frame/scope.ts';
import { memberNamesQuery } from './queries.ts';

type State = Runtime['status'] | RuntimeInstanceData['state'];

export const STATE_LABELS: Readonly<Record<State, string>> = {
  running: 'Running',
  paused: 'Paused',
  idle: 'Idle',
  killed: 'Ended',
};

const STATE_COLORS: Readonly<Record<State, string>> = {
  running: 'teal',
  paused: 'yellow',
  idle: 'gray',
  killed: 'gray',
};

export const StateBadge = ({ state }: { readonly state: State }) => (
  <Badge variant="dot" tt="none" fw={500} radius="sm" miw="max-content" color={STATE_COLORS[state]}>
    {STATE_LABELS[state]}
  </Badge>
);

/** The user who may operate the runtime. */
export function Owner({ runtime }: { readonly runtime: Pick<Runtime, 'created_by' | 'owned_by_me'> }) {
  const { org } = useWhere();
  const { data: names } = useQuery(memberNamesQuery(org));
  const { created_by, owned_by_me } = runtime;
  return owned_by_me ? 'You' : ((created_by && names?.get(created_by)) ?? 'A former member');
}

/** The time until a sandbox expires, or undefined while it does not run. */
export function describeTimeLeft(instance: RuntimeInstanceData | null, now = Date.now()): string | undefined {
  if (instance?.state !== 'running' || instance.expires_at === null) return undefined;
  return formatSeconds(Math.max(0, Date.parse(instance.expires_at) - now) / 1_000);
}

/** Whole seconds, because the API has no others. */
export const formatSeconds = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined
    ? '–'
    : seconds < 10
      ? `${Math.floor(seconds)} s`
      : formatDuration(Math.floor(seconds) * 1_000);

const LIMIT_NAMES: Readonly<Record<string, string>> = {
  cpu_cores: 'CPU cores',
  memory_mb: 'MB of memory',
  pids: 'processes',
};

/** The limits that are enforced, such as `2 CPU cores, 2,048 MB of memory`. */
export const describeLimits = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(LIMIT_NAMES)
    .flatMap(([name, words]) => {
      const limit = limits[name];
      return limit === undefined ? [] : [`${formatCount(limit)} ${words}`];
    })
    .join(', ') || 'none enforced';

export const formatCredits = (credits: number): string =>
  `${formatCount(credits)} ${credits === 1 ? 'credit' : 'credits'}`;

const PAUSE_REASONS: Readonly<Record<NonNullable<RuntimeInstanceData['pause_reason']>, string>> = {
  timeout: 'its time was up',
  user: 'a user paused it',
  insufficient_credits: 'the credits of the organization are used up',
  member_limit_exceeded: 'the organization has more members than it may have',
};

/** One line on what the runtime does, for its header and its panel. */
export function describeState({ status, instance }: Runtime): string {
  if (status === 'running' && instance)
    return `Runs for ${formatSeconds(instance.total_runtime_seconds)}, ${describeTimeLeft(instance)} left.`;
  if (status === 'paused' && instance) {
    const reason = instance.pause_reason ? PAUSE_REASONS[instance.pause_reason] : 'its processes are stopped';
    return `Paused: ${reason}. Processes and memory are kept, and it costs nothing.`;
  }
  return instance
    ? 'No sandbox runs. The disk of the last one is kept, and the next start uses it.'
    : 'It was not started yet.';
}
