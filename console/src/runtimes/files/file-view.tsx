/** One file: its text, which can be edited, or a download for everything else. */
import type { OneRuntime } from '@drydock/sdk';
import { Alert, Anchor, Button, Group, Loader, Stack, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatBytes } from '../../components/format.ts';
import { filesKey } from '../queries.ts';
import {
  download,
  type FileContent,
  MAX_TEXT_BYTES,
  readContent,
  readStamp,
  toFileText,
  writeText,
} from './file-content.ts';
import { baseNameOf, parentOf } from './paths.ts';

interface FileViewProps {
  readonly target: OneRuntime;
  readonly path: string;
  /** Shows a folder instead. */
  readonly onClose: (folder: string) => void;
}

export function FileView({ target, path, onClose }: FileViewProps) {
  const { data, error, refetch } = useQuery({
    queryKey: [...filesKey(target), 'content', path],
    queryFn: ({ signal }) => readContent(target, path, signal),
    // What is being edited must not change by itself.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const get = useAction(() => download(target, path));
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap="xs" miw={0}>
          <Anchor component="button" type="button" size="sm" onClick={() => onClose(parentOf(path))}>
            Back to the folder
          </Anchor>
          <Text size="sm" fw={600} className="user-text">
            {path}
          </Text>
        </Group>
        <Button size="xs" variant="default" loading={get.isPending} onClick={() => get.mutate(undefined)}>
          Download
        </Button>
      </Group>
      {error && (
        <>
          <ErrorNotice error={error} onRetry={() => void refetch()} />
          <Group>
            <Button size="xs" variant="default" onClick={() => onClose(path)}>
              Open it as a folder
            </Button>
          </Group>
        </>
      )}
      {!data && !error && <Loader size="sm" aria-label="Loading" />}
      {data && data.kind !== 'text' && <NotShown content={data} />}
      {data?.kind === 'text' && !error && (
        <TextEditor
          key={data.stamp}
          target={target}
          path={path}
          content={data}
          onReload={() => void refetch()}
        />
      )}
    </Stack>
  );
}

function NotShown({ content: { kind, sizeBytes } }: { readonly content: FileContent }) {
  return kind === 'large' ? (
    <EmptyState title="This file is too large to be shown">
      It has {formatBytes(sizeBytes)}; at most {formatBytes(MAX_TEXT_BYTES)} can be shown and edited here.
      Download it, or read parts of it in the terminal.
    </EmptyState>
  ) : (
    <EmptyState title="This file is not text">
      Its {formatBytes(sizeBytes)} are not UTF-8 text, so they cannot be shown here. Download it instead.
    </EmptyState>
  );
}

interface TextEditorProps {
  readonly target: OneRuntime;
  readonly path: string;
  readonly content: Extract<FileContent, { kind: 'text' }>;
  readonly onReload: () => void;
}

function TextEditor({ target, path, content, onReload }: TextEditorProps) {
  const [saved, setSaved] = useState({ text: content.text, stamp: content.stamp });
  const [text, setText] = useState(content.text);
  const [isConfirming, setConfirming] = useState(false);
  const isDirty = text !== saved.text;
  const isReadOnly = content.hasMixedLineEnds;
  const save = useAction(async (overwrite: boolean) => {
    if (!overwrite && (await readStamp(target, path)) !== saved.stamp) return setConfirming(true);
    const stamp = await writeText(target, path, toFileText(text, content.lineEnd));
    setSaved({ text, stamp });
    setConfirming(false);
    notifications.show({ color: 'teal', message: `${baseNameOf(path)} is saved.` });
  });
  return (
    <>
      {isReadOnly && (
        <Alert color="yellow" variant="outline" role="status" title="This file is shown without editing">
          <Text size="sm">
            Its lines end in different ways, and saving it here would make them all alike. Edit it in the
            terminal, or download and upload it.
          </Text>
        </Alert>
      )}
      <Textarea
        aria-label={`Content of ${path}`}
        autosize
        minRows={12}
        maxRows={26}
        spellCheck={false}
        readOnly={isReadOnly}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, whiteSpace: 'pre' },
        }}
      />
      <Group justify="space-between">
        <Text size="xs" c="dimmed" role="status">
          {formatBytes(content.sizeBytes)} when it was read
          {content.lineEnd === '\r\n' && ' · lines end with CR LF'}
          {isDirty && ' · not saved'}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={!isDirty} onClick={() => setText(saved.text)}>
            Undo the changes
          </Button>
          <Button
            size="xs"
            disabled={!isDirty || isReadOnly}
            loading={save.isPending}
            onClick={() => save.mutate(false)}
          >
            Save
          </Button>
        </Group>
      </Group>
      <Confirm
        isOpen={isConfirming}
        title={`${baseNameOf(path)} has changed in the sandbox`}
        action="Overwrite it"
        refusal="Do not save"
        isPending={save.isPending}
        onConfirm={() => save.mutate(true)}
        onClose={() => setConfirming(false)}
      >
        Something wrote to the file after you opened it. Overwrite it with your text, or keep both: copy your
        text, then{' '}
        <Anchor component="button" type="button" size="sm" onClick={onReload}>
          read the file again
        </Anchor>
        .
      </Confirm>
      <LeaveQuestion isDirty={isDirty} name={baseNameOf(path)} />
    </>
  );
}

/** Asks before a page with changes is left. */
function LeaveQuestion({ isDirty, name }: { readonly isDirty: boolean; readonly name: string }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Confirm
      isOpen={blocker.status === 'blocked'}
      title={`Leave ${name} without saving?`}
      action="Leave it"
      refusal="Keep editing"
      isPending={false}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      Your changes are lost when you leave.
    </Confirm>
  );
}
