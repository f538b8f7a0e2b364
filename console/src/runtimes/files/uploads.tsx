/** Uploads files one after the other. Before files of the folder are replaced, the user is asked. */
import type { OneRuntime } from '@drydock/sdk';
import { useRef, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { Confirm } from '../../components/confirm.tsx';
import { formatBytes } from '../../components/format.ts';
import { joinPath } from './paths.ts';

/** The limit of the API. */
const MAX_UPLOAD_BYTES = 1024 ** 3;

interface UploadOptions {
  readonly target: OneRuntime;
  readonly folder: string;
  /** The names that the folder has already. */
  readonly taken: readonly string[];
  readonly onDone: () => Promise<void>;
}

interface Current {
  readonly file: File;
  readonly number: number;
  readonly total: number;
}

export function useUploads({ target, folder, taken, onDone }: UploadOptions) {
  const [current, setCurrent] = useState<Current>();
  const [failures, setFailures] = useState<readonly string[]>([]);
  const [waiting, setWaiting] = useState<readonly File[]>();
  const stop = useRef<AbortController>(undefined);
  const upload = async (files: readonly File[]) => {
    setWaiting(undefined);
    const cancelled = new AbortController();
    stop.current = cancelled;
    const failed: string[] = [];
    for (const [index, file] of files.entries()) {
      if (cancelled.signal.aborted) break;
      setCurrent({ file, number: index + 1, total: files.length });
      const problem = await uploadOne(target, joinPath(folder, file.name), file, cancelled.signal);
      if (problem !== undefined) failed.push(`${file.name}: ${problem}`);
    }
    setCurrent(undefined);
    setFailures(failed);
    await onDone();
  };
  const add = (files: readonly File[]) => {
    if (files.length === 0 || current) return;
    if (files.some(({ name }) => taken.includes(name))) setWaiting(files);
    else void upload(files);
  };
  return {
    current,
    failures,
    /** Files that replace others, until the user has answered. */
    waiting,
    replaced: waiting?.filter(({ name }) => taken.includes(name)) ?? [],
    add,
    confirm: () => void (waiting && upload(waiting)),
    refuse: () => setWaiting(undefined),
    cancel: () => stop.current?.abort(),
    dismiss: () => setFailures([]),
  };
}

/** @returns why it failed */
async function uploadOne(
  target: OneRuntime,
  path: string,
  file: File,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (file.size > MAX_UPLOAD_BYTES)
    return `It has ${formatBytes(file.size)}, and at most ${formatBytes(MAX_UPLOAD_BYTES)} can be uploaded. Split it, or fetch it from within the sandbox.`;
  try {
    await drydock.runtimeFiles.put(target, { path }, file, { signal });
    return undefined;
  } catch (error) {
    return signal.aborted ? 'The upload was cancelled.' : toProblem(error).detail;
  }
}

export function ReplaceQuestion({ uploads }: { readonly uploads: ReturnType<typeof useUploads> }) {
  const { waiting, replaced, confirm, refuse } = uploads;
  return (
    <Confirm
      isOpen={waiting !== undefined}
      title={replaced.length === 1 ? `Replace ${replaced[0]?.name}?` : `Replace ${replaced.length} files?`}
      action="Replace"
      refusal="Keep what is there"
      isPending={false}
      onConfirm={confirm}
      onClose={refuse}
    >
      The folder has files with these names already. Their content is replaced.
    </Confirm>
  );
}
