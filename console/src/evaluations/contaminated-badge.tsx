import type { ContaminationSource } from '@drydock/sdk';
import { Badge } from '@mantine/core';
import { kindLabelOf, titleOf } from '../lineage/lineage-link.tsx';

/** Marks a sample whose task or row has shaped the model or capability under test. */
export const ContaminatedBadge = ({ source }: { readonly source: ContaminationSource | null }) => (
  <Badge
    variant="dot"
    tt="none"
    fw={500}
    radius="sm"
    miw="max-content"
    color="orange"
    title={source ? `Used by ${kindLabelOf(source)} ${titleOf(source)}` : undefined}
  >
    Contaminated
  </Badge>
);
