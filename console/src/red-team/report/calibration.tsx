/** How often the judge is right, from the reviews of people, and the success rates corrected for it. */
import type { AirtCalibration, AirtCorrectedRate } from '@drydock/sdk';
import { Progress, Stack, Table, Text } from '@mantine/core';
import { formatCount, formatCountOf, formatPercent } from '../../components/format.ts';
import { describeInterval } from '../figures.tsx';
import { toWords } from '../states.ts';

export function Calibration({ calibration }: { readonly calibration: AirtCalibration }) {
  const { judge_model, reviews, missing, overall, by_attack } = calibration;
  const needed = reviews + missing;
  if (!overall)
    return (
      <Stack gap={6}>
        <Text size="sm">
          {formatCount(reviews)} of {formatCountOf(needed, 'review')} that are needed
          {judge_model && ` for ${judge_model}`}.
        </Text>
        <Progress
          value={Math.min(100, (100 * reviews) / Math.max(1, needed))}
          aria-label={`Reviews: ${reviews} of ${needed}`}
        />
        <Text size="xs" c="dimmed">
          Triage findings with a success: a decision such as “false positive” or “accepted risk” tells whether
          the judge was right.
        </Text>
      </Stack>
    );
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed">
        {judge_model ?? 'The judge'}, from {formatCountOf(reviews, 'review')} in the project
      </Text>
      <Table verticalSpacing={3} horizontalSpacing="xs" fz="xs" aria-label="Judge calibration">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Attack</Table.Th>
            <Table.Th ta="right">Reviews</Table.Th>
            <Table.Th>Precision</Table.Th>
            <Table.Th>Corrected rate</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {[overall, ...by_attack].map((rate) => (
            <CalibrationRow key={rate.attack_name ?? ''} rate={rate} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function CalibrationRow({ rate }: { readonly rate: AirtCorrectedRate }) {
  const { attack_name, reviews, precision, precision_interval, corrected_asr, corrected_interval } = rate;
  const withInterval = (value: number | null, interval: AirtCorrectedRate['precision_interval']) =>
    `${formatPercent(value)}${interval ? ` (${describeInterval({ interval })})` : ''}`;
  return (
    <Table.Tr>
      <Table.Td>{attack_name === null ? 'All attacks' : toWords(attack_name)}</Table.Td>
      <Table.Td ta="right">{formatCount(reviews)}</Table.Td>
      <Table.Td>{withInterval(precision, precision_interval)}</Table.Td>
      <Table.Td>{withInterval(corrected_asr, corrected_interval)}</Table.Td>
    </Table.Tr>
  );
}
