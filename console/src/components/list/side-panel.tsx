/** The key facts of the selected row, beside its list. */
import { Box, CloseButton, Group, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface SidePanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function SidePanel({ title, onClose, children }: SidePanelProps) {
  useHotkeys([['Escape', onClose]]);
  return (
    <Box component="aside" aria-label={title} className="side-panel">
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="xs">
        <Title order={2} size="h5" className="user-text" lineClamp={3}>
          {title}
        </Title>
        <CloseButton size="sm" aria-label="Close the panel" onClick={onClose} />
      </Group>
      {children}
    </Box>
  );
}
