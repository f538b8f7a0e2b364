import { Center, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The layout of pages that are shown before a workspace is open, such as the sign-in. */
export function CenteredCard({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100%" p="md">
      <Paper withBorder shadow="sm" p="xl" w={400} maw="100%">
        <Group gap={8} mb="md">
          <img src="/favicon.svg" width={24} height={24} alt="" />
          <Text fw={700}>Drydock</Text>
        </Group>
        <Title order={1} size="h3" mb="md">
          {title}
        </Title>
        {children}
      </Paper>
    </Center>
  );
}
