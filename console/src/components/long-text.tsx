/** Program output of any length. Only its beginning is in the page until the user clicks "Show more". */
import { Button, Group, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useState } from 'react';
import { downloadFile } from './download.ts';
import { formatBytes } from './format.ts';
import { showProblem } from './show-problem.ts';

/** The browser lays out all text in the page, visible or not: 10 MB of text would freeze it. */
export const CHUNK = 20_000;

interface PartialText {
  readonly text: string;
  /** The length of the whole text, when `text` is only its beginning. */
  readonly fullLength?: number;
  /** Reads the whole text, when `text` is only its beginning. */
  readonly loadFull?: () => Promise<string>;
}

/** The part of a long text that is shown: `first` characters, and a chunk more with each `showMore`. */
export function useShownText({ text, fullLength = text.length, loadFull }: PartialText, first = CHUNK) {
  const [shown, setShown] = useState(first);
  const [full, setFull] = useState<string>();
  const whole = full ?? text;
  const readWhole = async () => {
    if (full !== undefined || fullLength <= text.length || !loadFull) return whole;
    const loaded = await loadFull();
    setFull(loaded);
    return loaded;
  };
  const showMore = async () => {
    if (shown + CHUNK > whole.length) await readWhole();
    setShown((before) => before + CHUNK);
  };
  return { shown, whole, readWhole, showMore };
}

interface LongTextProps extends PartialText {
  readonly fileName: string;
  readonly label: string;
}

export function LongText({ fileName, label, ...partial }: LongTextProps) {
  const { shown, whole, readWhole, showMore } = useShownText(partial);
  const { fullLength = partial.text.length } = partial;
  const isCut = shown < fullLength;
  return (
    <>
      {/* A block that scrolls has to be reachable with the keyboard. */}
      <pre className="program-text" tabIndex={0} aria-label={label}>
        {whole.slice(0, shown)}
      </pre>
      {(isCut || fullLength > CHUNK) && (
        <Group gap="xs" mt={4}>
          <Text size="xs" c="dimmed">
            {formatBytes(Math.min(shown, fullLength))} of {formatBytes(fullLength)}
          </Text>
          {isCut && (
            <Button size="compact-xs" variant="default" onClick={() => void showMore().catch(showProblem)}>
              Show more
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void readWhole().then((read) => downloadFile(fileName, read), showProblem)}
          >
            Download
          </Button>
          <CopyButton getText={readWhole} />
        </Group>
      )}
    </>
  );
}

function CopyButton({ getText }: { readonly getText: () => Promise<string> }) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <Button size="compact-xs" variant="default" onClick={() => void getText().then(copy, showProblem)}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
