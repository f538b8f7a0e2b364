/** The newest proof that the attack of a finding works or no longer works, and the offer to mark it as remediated. */
import type { FindingDetail, FindingRemediation } from '@drydock/sdk';
import { Alert, Button, Group, Text } from '@mantine/core';
import { formatAgo, formatCount } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { describeInterval } from '../figures.tsx';
import { useTriage } from './triage.ts';

export function Remediation({ finding }: { readonly finding: FindingDetail }) {
  const triage = useTriage();
  const { id, remediation, finding_status } = finding;
  if (!remediation) return null;
  const { is_fixed, target } = remediation;
  const canRemediate = is_fixed && finding_status === 'open';
  return (
    <Alert
      color={is_fixed ? 'teal' : 'red'}
      variant="outline"
      role="status"
      aria-label="Remediation"
      p="sm"
      styles={{ root: { borderLeftWidth: 4 } }}
    >
      <Text size="sm" fw={600} className="user-text">
        {is_fixed ? `The attack no longer works on ${target}` : `The attack still works on ${target}`} (
        {describeProof(remediation)})
      </Text>
      <Group gap="sm" mt={6}>
        {canRemediate && (
          <Button
            size="xs"
            color="teal.9"
            loading={triage.isPending}
            onClick={() => triage.mutate({ ids: [id], change: { finding_status: 'remediated' } })}
          >
            Mark as remediated
          </Button>
        )}
        <ProofLink remediation={remediation} />
      </Group>
    </Alert>
  );
}

/** Such as `0 of 8 succeeded, 95 % interval 0 % to 32 %`. */
function describeProof({ after }: FindingRemediation): string {
  const range = describeInterval(after);
  return `${formatCount(after.successes)} of ${formatCount(after.n)} succeeded${range ? `, 95 % interval ${range}` : ''}`;
}

function ProofLink({ remediation }: { readonly remediation: FindingRemediation }) {
  const where = useWhere();
  const { gate, gate_check_id, assessment_id, created_at } = remediation;
  return (
    <Text size="xs" c="dimmed">
      {formatAgo(created_at)},{' '}
      {gate !== null && gate_check_id !== null ? (
        <AnchorLink
          to="/o/$org/w/$workspace/gates/$gate/checks/$checkId"
          params={{ ...where, gate, checkId: gate_check_id }}
          size="xs"
          underline="always"
          className="user-text"
        >
          check of the gate {gate}
        </AnchorLink>
      ) : (
        <AnchorLink
          to="/o/$org/w/$workspace/red-team/$assessmentId"
          params={{ ...where, assessmentId: assessment_id ?? '' }}
          size="xs"
          underline="always"
        >
          retest
        </AnchorLink>
      )}
    </Text>
  );
}
