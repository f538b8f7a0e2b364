/** The entries of a folder, with what can be done with each. */
import type { OneRuntime, RuntimeFile } from '@drydock/sdk';
import { ActionIcon, Anchor, Button, Group, Table, Text, Tooltip } from '@mantine/core';
import {
  IconDownload,
  IconFile,
  IconFolder,
  IconLink,
  IconPencil,
  IconQuestionMark,
  IconTrash,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../components/confirm.tsx';
import { formatBytes, formatTime } from '../../components/format.ts';
import { download, rename } from './file-content.ts';
import { NameDialog } from './name-dialog.tsx';
import { joinPath, parentOf } from './paths.ts';

/** The browser lays out all rows: the others are added by a button. */
const SHOWN = 500;

interface FileTableProps {
  readonly target: OneRuntime;
  readonly entries: readonly RuntimeFile[];
  readonly onOpen: (entry: RuntimeFile) => void;
  readonly onChanged: () => Promise<void>;
}

export function FileTable({ target, entries, onOpen, onChanged }: FileTableProps) {
  const [shown, setShown] = useState(SHOWN);
  const [deleted, setDeleted] = useState<RuntimeFile>();
  const [renamed, setRenamed] = useState<RuntimeFile>();
  const sorted = entries.toSorted((a, b) => Number(b.type === 'directory') - Number(a.type === 'directory'));
  return (
    <>
      <Table.ScrollContainer minWidth={620} type="native">
        <Table verticalSpacing={4} highlightOnHover aria-label="Files">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
              <Table.Th>Changed</Table.Th>
              <Table.Th>Mode</Table.Th>
              <Table.Th ta="right">Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.slice(0, shown).map((entry) => (
              <Row
                key={entry.path}
                entry={entry}
                target={target}
                onOpen={() => onOpen(entry)}
                onRename={() => setRenamed(entry)}
                onDelete={() => setDeleted(entry)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {sorted.length > shown && (
        <Group>
          <Button size="compact-xs" variant="default" onClick={() => setShown(shown + SHOWN)}>
            Show {Math.min(SHOWN, sorted.length - shown)} more of {sorted.length - shown}
          </Button>
        </Group>
      )}
      {deleted && (
        <DeleteQuestion
          entry={deleted}
          target={target}
          onDone={onChanged}
          onClose={() => setDeleted(undefined)}
        />
      )}
      {renamed && (
        <NameDialog
          title={`Rename ${renamed.name}`}
          action="Rename"
          initialName={renamed.name}
          taken={entries.map(({ name }) => name)}
          onClose={() => setRenamed(undefined)}
          onSubmit={async (name) => {
            await rename(target, renamed.path, joinPath(parentOf(renamed.path), name));
            setRenamed(undefined);
            await onChanged();
          }}
        />
      )}
    </>
  );
}

const ICONS: Readonly<Record<RuntimeFile['type'], ReactNode>> = {
  directory: <IconFolder size={16} aria-hidden />,
  file: <IconFile size={16} aria-hidden />,
  symlink: <IconLink size={16} aria-hidden />,
  other: <IconQuestionMark size={16} aria-hidden />,
};

interface RowProps {
  readonly entry: RuntimeFile;
  readonly target: OneRuntime;
  readonly onOpen: () => void;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

function Row({ entry, target, onOpen, onRename, onDelete }: RowProps) {
  const { name, path, type, size_bytes, modified_at, mode } = entry;
  const get = useAction(() => download(target, path));
  const isFile = type === 'file' || type === 'symlink';
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={8} wrap="nowrap">
          {ICONS[type]}
          {type === 'other' ? (
            <Text
              size="sm"
              className="user-text"
              title="Neither a file nor a folder: use the terminal for it."
            >
              {name}
            </Text>
          ) : (
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="left"
              className="user-text"
              onClick={onOpen}
            >
              {name}
            </Anchor>
          )}
        </Group>
      </Table.Td>
      <Table.Td ta="right">{type === 'file' ? formatBytes(size_bytes) : '–'}</Table.Td>
      <Table.Td>{formatTime(modified_at)}</Table.Td>
      <Table.Td ff="monospace" fz="xs">
        {mode}
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {isFile && (
            <RowButton
              label={`Download ${name}`}
              isPending={get.isPending}
              onClick={() => get.mutate(undefined)}
            >
              <IconDownload size={15} />
            </RowButton>
          )}
          <RowButton label={`Rename ${name}`} onClick={onRename}>
            <IconPencil size={15} />
          </RowButton>
          <RowButton label={`Delete ${name}`} onClick={onDelete}>
            <IconTrash size={15} />
          </RowButton>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

interface RowButtonProps {
  readonly label: string;
  readonly isPending?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

const RowButton = ({ label, isPending = false, onClick, children }: RowButtonProps) => (
  <Tooltip label={label}>
    <ActionIcon
      size="sm"
      variant="subtle"
      color="gray"
      c="inherit"
      aria-label={label}
      loading={isPending}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  </Tooltip>
);

interface DeleteQuestionProps {
  readonly entry: RuntimeFile;
  readonly target: OneRuntime;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

function DeleteQuestion({ entry: { name, path, type }, target, onDone, onClose }: DeleteQuestionProps) {
  const isFolder = type === 'directory';
  const remove = useAction(
    () => drydock.runtimeFiles.delete(target, { path, recursive: isFolder }),
    async () => {
      onClose();
      await onDone();
    },
  );
  return (
    <Confirm
      isOpen
      title={`Delete ${name}?`}
      action={isFolder ? 'Delete the folder' : 'Delete the file'}
      refusal="Keep it"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {isFolder ? 'The folder is deleted with everything in it.' : 'The file is deleted.'} This cannot be
      undone.
    </Confirm>
  );
}
