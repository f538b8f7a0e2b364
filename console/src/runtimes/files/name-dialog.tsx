/** Asks for the name of a file or folder. */
import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import { CommandFailed } from './file-content.ts';
import { findNameMistake } from './paths.ts';

interface NameDialogProps {
  readonly title: string;
  readonly action: string;
  readonly initialName?: string;
  /** The names that the folder has already. */
  readonly taken: readonly string[];
  readonly onSubmit: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

export function NameDialog({ title, action, initialName = '', taken, onSubmit, onClose }: NameDialogProps) {
  const [name, setName] = useState(initialName);
  const [mistake, setMistake] = useState<string>();
  const submit = useMutation({ mutationFn: onSubmit });
  const { error } = submit;
  const failure = error && (error instanceof CommandFailed ? error.message : toProblem(error).detail);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const found = findNameMistake(name, taken);
    setMistake(found);
    if (found === undefined) submit.mutate(name);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <Text component="span" fw={600} className="user-text">
          {title}
        </Text>
      }
      centered
    >
      <form onSubmit={send} noValidate>
        <TextInput
          label="Name"
          required
          data-autofocus
          value={name}
          error={mistake ?? failure}
          onChange={({ currentTarget: { value } }) => {
            setName(value);
            setMistake(undefined);
            submit.reset();
          }}
        />
        <Group justify="flex-end" mt="md" gap="xs">
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="xs" type="submit" loading={submit.isPending}>
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
