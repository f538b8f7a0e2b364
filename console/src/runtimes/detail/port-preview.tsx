/**
 * Shows the response of a port to one request. HTML is shown in a frame that runs no scripts and has no origin, and the policy of the
 * console, which the frame inherits, loads nothing from other hosts.
 */
import type { OneRuntime } from '@drydock/sdk';
import { Alert, Button, Group, Loader, Text, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { downloadFile } from '../../components/download.ts';
import { formatBytes } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import styles from '../runtimes.module.css';

/** Maximum number of bytes held in the page. */
const MAX_BYTES = 5_000_000;
const TIMEOUT_MS = 20_000;

interface Preview {
  readonly status: number;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isCut: boolean;
}

/** Reads at most `MAX_BYTES`, and a chunk more. */
async function readBody({ body }: Response): Promise<Pick<Preview, 'bytes' | 'isCut'>> {
  if (!body) return { bytes: new Uint8Array(), isCut: false };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = body.getReader();
  for (let length = 0; length < MAX_BYTES; length += chunks.at(-1)?.length ?? 0) {
    const { done, value } = await reader.read();
    if (done) return { bytes: await join(chunks), isCut: false };
    chunks.push(value);
  }
  void reader.cancel();
  return { bytes: await join(chunks), isCut: true };
}

const join = async (chunks: readonly Uint8Array<ArrayBuffer>[]) =>
  new Uint8Array(await new Blob([...chunks]).arrayBuffer());

const previewQuery = (target: OneRuntime, port: number, path: string) =>
  queryOptions<Preview>({
    queryKey: ['port-preview', target, port, path],
    queryFn: async ({ signal }) => {
      const response = await drydock.runtimes.reachPort(
        { ...target, port, path },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) },
      );
      const { status, headers } = response;
      return { status, type: headers.get('content-type') ?? '', ...(await readBody(response)) };
    },
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });

interface PortPreviewProps {
  readonly target: OneRuntime;
  readonly port: number;
  readonly path: string;
  readonly onPath: (path: string) => void;
}

export function PortPreview({ target, port, path, onPath }: PortPreviewProps) {
  const [typed, setTyped] = useState(path);
  useEffect(() => setTyped(path), [path]);
  const { data, error, isFetching, refetch } = useQuery(previewQuery(target, port, path));
  const show = (event: FormEvent) => {
    event.preventDefault();
    const next = typed.startsWith('/') ? typed : `/${typed}`;
    if (next === path) void refetch();
    else onPath(next);
  };
  return (
    <>
      <form onSubmit={show}>
        <Group gap="xs" mb="xs" align="flex-end">
          <TextInput
            size="xs"
            label={`Path at port ${port}`}
            flex={1}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
          <Button size="xs" type="submit" loading={isFetching}>
            Show
          </Button>
        </Group>
      </form>
      {error && (
        <Alert color="red" variant="outline" role="alert" title={`Nothing answers at port ${port}`}>
          <Text size="sm" className="user-text">
            {toProblem(error).detail} Start a program that listens there, then choose “Show”.
          </Text>
        </Alert>
      )}
      {!data && !error && <Loader size="sm" aria-label="Loading" />}
      {data && !error && <Answer preview={data} port={port} />}
    </>
  );
}

const TEXT_TYPE = /^(text\/|application\/(json|xml|javascript|.*\+(json|xml)))/;
const IMAGE_TYPE = /^image\/(png|jpeg|gif|webp|avif)/;

function Answer({ preview, port }: { readonly preview: Preview; readonly port: number }) {
  const { status, type, bytes, isCut } = preview;
  const name = `port-${port}`;
  return (
    <>
      <Group gap="md" mb="xs" justify="space-between">
        <Text size="xs" role="status" className="user-text">
          Status {status} · {type || 'no content type'} · {formatBytes(bytes.length)}
          {isCut && ' (the beginning)'}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => downloadFile(name, bytes, 'application/octet-stream')}
        >
          Download
        </Button>
      </Group>
      <Body preview={preview} name={name} />
    </>
  );
}

function Body({ preview: { type, bytes }, name }: { readonly preview: Preview; readonly name: string }) {
  if (bytes.length === 0) return <Text size="sm">The answer has no content.</Text>;
  if (type.startsWith('text/html'))
    return (
      <>
        <iframe
          title="Preview"
          className={styles['frame']}
          sandbox=""
          referrerPolicy="no-referrer"
          srcDoc={new TextDecoder().decode(bytes)}
        />
        <Text size="xs" c="dimmed" mt={4}>
          The preview shows one answer without running its scripts, and does not load its images, styles or
          links: the browser cannot send your token with them. Enter other paths above.
        </Text>
      </>
    );
  if (IMAGE_TYPE.test(type)) return <Picture bytes={bytes} type={type} />;
  if (TEXT_TYPE.test(type))
    return <LongText label="Answer" fileName={name} text={new TextDecoder().decode(bytes)} />;
  return <Text size="sm">This type of content has no preview. Download it instead.</Text>;
}

function Picture({ bytes, type }: Pick<Preview, 'bytes' | 'type'>) {
  const picture = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    if (picture.current) picture.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [bytes, type]);
  return <img ref={picture} alt="Answer of the port" className={styles['picture']} />;
}
