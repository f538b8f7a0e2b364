/** The open findings of the red team, by severity. */
import type { InWorkspace } from '@drydock/sdk';
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { RiskText, SeverityBadge } from '../red-team/figures.tsx';
import { useRedTeamProject } from '../red-team/project.ts';
import { summaryQuery } from '../red-team/queries.ts';
import { SEVERITIES } from '../red-team/states.ts';

export function OpenFindings({ where }: { readonly where: InWorkspace }) {
  const project = useRedTeamProject();
  const { data } = useQuery({
    ...summaryQuery(where, project?.key ?? ''),
    enabled: Boolean(project),
  });
  const total = Object.values(data?.open_findings ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    <SectionCard
      title="Open findings"
      hint={project ? `Successful attacks in the project ${project.name}` : undefined}
      aside={
        <AnchorLink to="/o/$org/w/$workspace/red-team" params={where} size="xs">
          All assessments
        </AnchorLink>
      }
    >
      {(project === null || (data && total === 0)) && (
        <Text size="sm" c="dimmed">
          {data && data.total_findings > 0 ? 'No open findings.' : 'No assessments yet.'}
        </Text>
      )}
      {data && total > 0 && (
        <Group gap="lg">
          {SEVERITIES.map((severity) => (
            <AnchorLink
              key={severity}
              to="/o/$org/w/$workspace/red-team/findings"
              params={where}
              search={{ status: ['open'], type: ['jailbreak'], severity: [severity] }}
              c="inherit"
            >
              <Text fw={700} fz={22} lh={1.2}>
                {formatCount(data.open_findings[severity] ?? 0)}
              </Text>
              <SeverityBadge severity={severity} />
            </AnchorLink>
          ))}
          <div>
            <Text fw={700} fz={22} lh={1.2}>
              <RiskText risk={data.risk_score} />
            </Text>
            <Text size="xs" c="dimmed">
              Risk of 10
            </Text>
          </div>
        </Group>
      )}
    </SectionCard>
  );
}
