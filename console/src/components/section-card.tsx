import { Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionCardProps {
  readonly title: string;
  /** Explains the figures below the title. */
  readonly hint?: string;
  /** Shown at the end of the title's line, such as a link to the whole list. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a page with a border around it. */
export function SectionCard({ title, hint, aside, children }: SectionCardProps) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          {hint && (
            <Text size="xs" c="dimmed">
              {hint}
            </Text>
          )}
        </div>
        {aside}
      </Group>
      {children}
    </Paper>
  );
}
