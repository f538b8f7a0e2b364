import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Label of the button, which says what happens. */
  readonly action: string;
  readonly refusal: string;
  readonly isPending: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, title, action, refusal, isPending, onConfirm, onClose, children } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={
        <Text component="span" fw={600} className="user-text">
          {title}
        </Text>
      }
      centered
    >
      <Text size="sm">{children}</Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button size="xs" variant="default" onClick={onClose} data-autofocus>
          {refusal}
        </Button>
        <Button size="xs" color="red" loading={isPending} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
