/** The files below /workspace of a running sandbox. */
import type { OneRuntime, RuntimeFile } from '@drydock/sdk';
import { Alert, Anchor, Breadcrumbs, Button, FileButton, Group, Loader, Stack, Text } from '@mantine/core';
import { IconFilePlus, IconFolderPlus, IconRefresh, IconUpload } from '@tabler/icons-react';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatBytes } from '../../components/format.ts';
import { RunningOnly } from '../detail/running-only.tsx';
import { filesKey } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';
import styles from '../runtimes.module.css';
import { createFolder, writeText } from './file-content.ts';
import { FileTable } from './file-table.tsx';
import { FileView } from './file-view.tsx';
import { NameDialog } from './name-dialog.tsx';
import { joinPath, toCrumbs } from './paths.ts';
import { ReplaceQuestion, useUploads } from './uploads.tsx';

const folderQuery = (where: OneRuntime, path: string) =>
  queryOptions({
    queryKey: [...filesKey(where), 'list', path],
    queryFn: async ({ signal }) => drydock.runtimeFiles.list(where, path === '' ? {} : { path }, { signal }),
    staleTime: 0,
  });

export function FilesTab(props: RuntimeTabProps) {
  const { runtime, target, search, onChange } = props;
  return (
    <RunningOnly runtime={runtime} subject="The list of files">
      {search.file === undefined ? (
        <Folder key={search.folder} {...props} />
      ) : (
        <FileView
          key={search.file}
          target={target}
          path={search.file}
          onClose={(folder) => onChange({ file: undefined, folder: folder || undefined })}
        />
      )}
    </RunningOnly>
  );
}

type FolderProps = Pick<RuntimeTabProps, 'target' | 'search' | 'onChange'>;

function Folder({ target, search, onChange }: FolderProps) {
  const folder = search.folder ?? '';
  const queries = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(folderQuery(target, folder));
  const entries = data?.entries ?? [];
  const readAgain = async () => {
    await queries.invalidateQueries({ queryKey: filesKey(target) });
  };
  const uploads = useUploads({ target, folder, taken: entries.map(({ name }) => name), onDone: readAgain });
  const openFolder = (path: string) => onChange({ folder: path || undefined, file: undefined });
  const open = ({ type, path }: RuntimeFile) =>
    type === 'directory' ? openFolder(path) : onChange({ file: path });
  return (
    <DropZone onFiles={uploads.add}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Crumbs folder={folder} onOpen={openFolder} />
          <FolderButtons
            target={target}
            folder={folder}
            taken={entries.map(({ name }) => name)}
            isFetching={isFetching}
            onUpload={uploads.add}
            onRefresh={() => void refetch()}
            onChanged={readAgain}
            onCreated={(path) => onChange({ file: path })}
          />
        </Group>
        <UploadStatus uploads={uploads} />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" aria-label="Loading" />}
        {data && entries.length === 0 && (
          <EmptyState title="This folder is empty">
            Drop files here, choose “Upload”, or create a file. Programs in the sandbox find them below
            /workspace.
          </EmptyState>
        )}
        {data && entries.length > 0 && (
          <FileTable target={target} entries={entries} onOpen={open} onChanged={readAgain} />
        )}
        {data?.is_truncated && (
          <Text size="xs" c="dimmed">
            The folder holds more than the {entries.length} entries that are listed. Use the terminal for the
            others.
          </Text>
        )}
      </Stack>
      <ReplaceQuestion uploads={uploads} />
    </DropZone>
  );
}

interface CrumbsProps {
  readonly folder: string;
  readonly onOpen: (path: string) => void;
}

function Crumbs({ folder, onOpen }: CrumbsProps) {
  const crumbs = toCrumbs(folder);
  return (
    <Breadcrumbs component="nav" aria-label="Folder" separatorMargin={6}>
      {crumbs.map(({ label, path }, index) =>
        index === crumbs.length - 1 ? (
          <Text key={path} size="sm" fw={600} className="user-text" aria-current="location">
            {label}
          </Text>
        ) : (
          <Anchor key={path} component="button" type="button" size="sm" onClick={() => onOpen(path)}>
            {label}
          </Anchor>
        ),
      )}
    </Breadcrumbs>
  );
}

interface FolderButtonsProps {
  readonly target: OneRuntime;
  readonly folder: string;
  readonly taken: readonly string[];
  readonly isFetching: boolean;
  readonly onUpload: (files: readonly File[]) => void;
  readonly onRefresh: () => void;
  readonly onChanged: () => Promise<void>;
  readonly onCreated: (path: string) => void;
}

function FolderButtons(props: FolderButtonsProps) {
  const { target, folder, taken, isFetching, onUpload, onRefresh, onChanged, onCreated } = props;
  const [requested, setRequested] = useState<'file' | 'folder'>();
  const { org, workspace, runtime } = target;
  const create = async (name: string) => {
    const path = joinPath(folder, name);
    if (requested === 'folder') await createFolder(target, path);
    else await writeText(target, path, '');
    setRequested(undefined);
    await onChanged();
    if (requested === 'file') onCreated(path);
  };
  return (
    <Group gap="xs">
      <FileButton multiple onChange={(files) => onUpload(files)}>
        {(button) => (
          <Button size="xs" leftSection={<IconUpload size={14} />} {...button}>
            Upload
          </Button>
        )}
      </FileButton>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFilePlus size={14} />}
        onClick={() => setRequested('file')}
      >
        New file
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFolderPlus size={14} />}
        onClick={() => setRequested('folder')}
      >
        New folder
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} />}
        loading={isFetching}
        onClick={onRefresh}
      >
        Refresh
      </Button>
      <CopyAs
        path={`/api/v1/org/${org}/ws/${workspace}/runtimes/${runtime}/files/list`}
        query={folder === '' ? {} : { path: folder }}
        code={`await drydock.runtimeFiles.list(${JSON.stringify(target)}, ${JSON.stringify({ path: folder || '.' })})`}
      />
      {requested && (
        <NameDialog
          title={requested === 'folder' ? 'New folder' : 'New file'}
          action={requested === 'folder' ? 'Create the folder' : 'Create the file'}
          taken={taken}
          onSubmit={create}
          onClose={() => setRequested(undefined)}
        />
      )}
    </Group>
  );
}

function UploadStatus({ uploads }: { readonly uploads: ReturnType<typeof useUploads> }) {
  const { current, failures } = uploads;
  return (
    <>
      {current && (
        <Alert variant="outline" role="status" p="xs">
          <Group justify="space-between">
            <Text size="sm" className="user-text">
              Uploading {current.number} of {current.total}: {current.file.name} (
              {formatBytes(current.file.size)})
            </Text>
            <Button size="compact-xs" variant="default" onClick={uploads.cancel}>
              Cancel
            </Button>
          </Group>
        </Alert>
      )}
      {failures.length > 0 && (
        <Alert
          color="red"
          variant="outline"
          role="alert"
          title="Some files were not uploaded"
          withCloseButton
          closeButtonLabel="Close"
          onClose={uploads.dismiss}
        >
          <Text size="sm" className="user-text">
            {failures.join('\n')}
          </Text>
        </Alert>
      )}
    </>
  );
}

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: React.ReactNode;
}

/** Takes files that are dropped on the list. People without a mouse use the button. */
function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  // Elements inside the zone send events of their own when the pointer passes over them.
  const depth = useRef(0);
  const move = (event: DragEvent, by: 1 | -1) => {
    event.preventDefault();
    depth.current += by;
    setOver(depth.current > 0);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <div
      role="group"
      aria-label="Files"
      className={styles['drop']}
      data-over={isOver || undefined}
      onDragEnter={(event) => move(event, 1)}
      onDragLeave={(event) => move(event, -1)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      {children}
    </div>
  );
}
