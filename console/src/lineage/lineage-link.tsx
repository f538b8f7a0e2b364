/** Links to what lineage names: the page of a thing where it has one, otherwise its lineage. */
import type { LineageNode } from '@drydock/sdk';
import type { AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { AnchorLink } from '../components/links.tsx';
import { useWhere } from '../frame/scope.ts';
import type { ArtifactKind } from './search.ts';

interface LineageLinkProps extends Pick<AnchorProps, 'size' | 'underline' | 'inherit'> {
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly version: string;
  readonly children: ReactNode;
}

/** Opens the lineage of an artifact version. */
export const LineageLink = ({ kind, name, version, children, ...style }: LineageLinkProps) => (
  <AnchorLink
    to="/o/$org/w/$workspace/lineage"
    params={useWhere()}
    search={{ kind, name, version }}
    {...style}
  >
    {children}
  </AnchorLink>
);

export type LinkedNode = Pick<LineageNode, 'kind' | 'id' | 'name' | 'version'> & {
  readonly workspace?: string | null;
};

interface NodeLinkProps {
  readonly node: LinkedNode;
  /** `always` for a link within a sentence, which colour alone does not distinguish. */
  readonly underline?: 'always' | 'hover';
  readonly children: ReactNode;
}

/** Opens the page of a node. A review and a check have none that is found by their ID. */
export function NodeLink({ node, underline = 'hover', children }: NodeLinkProps) {
  const here = useWhere();
  const where = { org: here.org, workspace: node.workspace ?? here.workspace };
  const { kind, id, name, version } = node;
  const style = { underline, inherit: true };
  switch (kind) {
    case 'session':
      return (
        <AnchorLink
          to="/o/$org/w/$workspace/sessions/$sessionId"
          params={{ ...where, sessionId: id }}
          {...style}
        >
          {children}
        </AnchorLink>
      );
    case 'evaluation':
      return (
        <AnchorLink
          to="/o/$org/w/$workspace/evaluations/$evaluationId"
          params={{ ...where, evaluationId: id }}
          {...style}
        >
          {children}
        </AnchorLink>
      );
    case 'assessment':
      return (
        <AnchorLink
          to="/o/$org/w/$workspace/red-team/$assessmentId"
          params={{ ...where, assessmentId: id }}
          {...style}
        >
          {children}
        </AnchorLink>
      );
    case 'finding':
      return (
        <AnchorLink
          to="/o/$org/w/$workspace/red-team/findings"
          params={where}
          search={{ finding: id }}
          {...style}
        >
          {children}
        </AnchorLink>
      );
    case 'optimization_job':
      return (
        <AnchorLink to="/o/$org/w/$workspace/optimization/$jobId" params={{ ...where, jobId: id }} {...style}>
          {children}
        </AnchorLink>
      );
    case 'training_job':
      return (
        <AnchorLink to="/o/$org/w/$workspace/training/$jobId" params={{ ...where, jobId: id }} {...style}>
          {children}
        </AnchorLink>
      );
    case 'dataset':
    case 'model':
    case 'capability':
    case 'task':
      return (
        <LineageLink kind={kind} name={name ?? ''} version={version ?? ''} {...style}>
          {children}
        </LineageLink>
      );
    default:
      return children;
  }
}

const KIND_LABELS: Readonly<Record<LineageNode['kind'], string>> = {
  dataset: 'Dataset',
  model: 'Model',
  capability: 'Capability',
  task: 'Task',
  session: 'Session',
  evaluation: 'Evaluation',
  finding: 'Finding',
  review: 'Review',
  assessment: 'Assessment',
  optimization_job: 'Optimization job',
  training_job: 'Training job',
  gate_check: 'Gate check',
};

export const kindLabelOf = ({ kind }: Pick<LinkedNode, 'kind'>): string => KIND_LABELS[kind];

/** The name of a version, or the end of an ID, which differs where its beginning is a time. */
export const titleOf = ({ id, name, version }: Omit<LinkedNode, 'kind'>): string =>
  name === null ? `…${id.slice(-8)}` : `${name}@${version}`;
