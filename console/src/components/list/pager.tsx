import { Button, Group, Pagination, Text } from '@mantine/core';
import { formatCount, formatTotal } from '../format.ts';

interface PagerProps {
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  /** False when there are at least `total` rows. */
  readonly isExact?: boolean;
  readonly onChange: (page: number) => void;
}

/** Shows which rows of a list are on this page, and buttons for its other pages. */
export function Pager({ page, pageSize, total, isExact = true, onChange }: PagerProps) {
  if (total > 0 && (page - 1) * pageSize >= total)
    return (
      <Group p="md" gap="md">
        <Text size="sm">This page of the list is empty.</Text>
        <Button size="xs" variant="default" onClick={() => onChange(1)}>
          First page
        </Button>
      </Group>
    );
  const first = Math.min(total, (page - 1) * pageSize + 1);
  const last = Math.min(total, page * pageSize);
  return (
    <Group justify="space-between" px="xs" py={6}>
      <Text size="xs" c="dimmed">
        {formatCount(first)}–{formatCount(last)} of {formatTotal(total, isExact)}
      </Text>
      {total > pageSize && (
        <Pagination
          size="sm"
          value={page}
          total={Math.ceil(total / pageSize)}
          onChange={onChange}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
    </Group>
  );
}
