/** The reasoning of a decision, alone or with a new status. It is kept in the history of the finding. */
import type { UpdateFindingRequest } from '@drydock/sdk';
import { Button, Group, Modal, NativeSelect, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { formatCountOf } from '../../components/format.ts';
import { FINDING_LABELS, FINDING_STATES } from '../states.ts';

interface NotesDialogProps {
  readonly count: number;
  readonly initialNotes: string;
  readonly onSave: (change: UpdateFindingRequest) => void;
  readonly onClose: () => void;
}

const MAX_NOTES = 20_000;

export function NotesDialog({ count, initialNotes, onSave, onClose }: NotesDialogProps) {
  const [notes, setNotes] = useState(initialNotes);
  const [status, setStatus] = useState('');
  const finding_status = FINDING_STATES.find((one) => one === status);
  const save = (event: FormEvent) => {
    event.preventDefault();
    onSave({ notes, ...(finding_status && { finding_status }) });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={count > 1 ? `Notes on ${formatCountOf(count, 'finding')}` : 'Notes'}
      centered
    >
      <form onSubmit={save}>
        <Stack gap="sm">
          <Textarea
            label="Reasoning"
            description="Everybody in the workspace can read it. Ctrl+Enter saves."
            autosize
            minRows={4}
            maxRows={14}
            maxLength={MAX_NOTES}
            data-autofocus
            value={notes}
            onChange={({ currentTarget }) => setNotes(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event);
            }}
          />
          <NativeSelect
            label="Status"
            data={[
              { value: '', label: 'Keep the status' },
              ...FINDING_STATES.map((value) => ({ value, label: FINDING_LABELS[value] })),
            ]}
            value={status}
            onChange={({ currentTarget }) => setStatus(currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={onClose}>
              Discard changes
            </Button>
            <Button size="xs" type="submit" disabled={notes.trim() === '' && !finding_status}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
