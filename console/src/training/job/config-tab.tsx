/** The settings of a job: as they were sent, as they apply, and beside those of another job. */
import type { OneTrainingJob, TrainingJobResponse } from '@drydock/sdk';
import { Badge, Group, Select, Stack, Switch, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import { useWhere } from '../../frame/scope.ts';
import { useOtherJobs } from '../curves/toolbar.tsx';
import { jobQuery } from '../queries.ts';
import type { TrainingSearch } from '../search.ts';
import { nameOf } from '../states.ts';
import styles from '../training.module.css';

interface ConfigTabProps {
  readonly job: TrainingJobResponse;
  readonly jobRef: OneTrainingJob;
  readonly search: TrainingSearch;
  readonly onChange: (next: TrainingSearch, options?: { readonly replace: boolean }) => void;
}

export function ConfigTab({ job, search: { diff }, onChange }: ConfigTabProps) {
  const where = useWhere();
  const [showsAll, setShowsAll] = useState(true);
  const { data: other, error } = useQuery({
    ...jobQuery({ ...where, job_id: diff ?? '' }),
    enabled: diff !== undefined,
  });
  const rows = toRows(job, diff === undefined ? undefined : other);
  const differing = rows.filter(({ differs }) => differs);
  const shown = showsAll || !other ? rows : differing;
  return (
    <Stack gap="sm">
      <Group gap="md" align="flex-end">
        <Select
          size="xs"
          label="Compare with"
          placeholder="No other job"
          w={320}
          searchable
          clearable
          data={useOtherJobs(job.id, diff === undefined ? [] : [diff])}
          value={diff ?? null}
          onChange={(id) => onChange({ diff: id ?? undefined }, { replace: true })}
        />
        {other && diff !== undefined && (
          <>
            <Switch
              size="xs"
              mb={7}
              label="Only differences"
              checked={!showsAll}
              onChange={({ currentTarget: { checked } }) => setShowsAll(!checked)}
            />
            <Text size="xs" c="dimmed" mb={7} role="status">
              {differing.length} of {rows.length} differ
            </Text>
          </>
        )}
      </Group>
      {error && diff !== undefined && (
        <Text size="sm" role="status" className="user-text">
          The other job cannot be shown: {toProblem(error).detail}
        </Text>
      )}
      <SettingsTable rows={shown} otherName={diff === undefined ? undefined : other && nameOf(other)} />
    </Stack>
  );
}

interface Row {
  readonly name: string;
  readonly sent: string | undefined;
  readonly effective: string | undefined;
  readonly other: string | undefined;
  readonly differs: boolean;
}

interface SettingsTableProps {
  readonly rows: readonly Row[];
  readonly otherName: string | undefined;
}

function SettingsTable({ rows, otherName }: SettingsTableProps) {
  return (
    <Table.ScrollContainer minWidth={600} type="native">
      <Table verticalSpacing={4} withTableBorder aria-label="Settings" className={styles['settings']}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={260}>Setting</Table.Th>
            <Table.Th>As sent</Table.Th>
            <Table.Th>Effective</Table.Th>
            {otherName !== undefined && <Table.Th className="user-text">{otherName}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, sent, effective, other, differs }) => (
            <Table.Tr key={name} data-differs={differs || undefined}>
              <Table.Td ff="monospace">{name}</Table.Td>
              <Table.Td className="user-text" c={sent === undefined ? 'dimmed' : undefined}>
                {sent ?? (name.startsWith('engine.') ? '–' : 'not sent')}
              </Table.Td>
              <Table.Td className="user-text">{effective ?? '–'}</Table.Td>
              {otherName !== undefined && (
                <Table.Td className="user-text">
                  {other ?? '–'}{' '}
                  {differs && (
                    <Badge size="xs" tt="none" color="orange" variant="outline" c="inherit" miw="max-content">
                      differs
                    </Badge>
                  )}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

type Settings = Readonly<Record<string, string>>;

/** Nested settings by their paths, such as `dataset_ref.name`. */
function flatten(value: unknown, path = ''): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    flatten(inner, path === '' ? key : `${path}.${key}`),
  );
}

/** What was sent for `config`, and the rest of the request. */
const toSent = ({ model, capability, config }: TrainingJobResponse): Settings =>
  Object.fromEntries(
    flatten({ model, capability: { name: capability.name, version: capability.version }, ...config }),
  );

/** What applies: defaults are filled in, versions are resolved, and the trainer has chosen the rest. */
function toEffective({ metrics, ...job }: TrainingJobResponse): Settings {
  const { model, capability, dataset_ref, trajectory_dataset_refs } = job;
  return Object.fromEntries(
    flatten({
      model,
      capability: { name: capability.name, version: capability.version },
      dataset_ref,
      trajectory_dataset_refs,
      eval_dataset_ref: job.config['eval_dataset_ref'],
      ...(metrics['effective_config'] as object | undefined),
      engine: metrics['engine'],
    }),
  );
}

function toRows(job: TrainingJobResponse, other: TrainingJobResponse | undefined): readonly Row[] {
  const [sent, effective] = [toSent(job), toEffective(job)];
  const compared = other ? toEffective(other) : {};
  const names = new Set([...Object.keys(effective), ...Object.keys(sent), ...Object.keys(compared)]);
  return [...names].map((name) => ({
    name,
    sent: sent[name],
    effective: effective[name],
    other: compared[name],
    differs: other !== undefined && effective[name] !== compared[name],
  }));
}
