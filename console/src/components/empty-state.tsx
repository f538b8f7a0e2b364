import { Code, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** The one command that fills this page. */
  readonly command?: string;
}

export function EmptyState({ title, children, command }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md">
      <Title order={3} size="h4">
        {title}
      </Title>
      <Text c="dimmed" size="sm" ta="center" maw={560} component="div">
        {children}
      </Text>
      {command && (
        <Code block maw={720} w="100%">
          {command}
        </Code>
      )}
    </Stack>
  );
}
