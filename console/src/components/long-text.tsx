/** Output of programs of any length: only its beginning is in the page until more of it is asked for. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { downloadText } from './download.ts';
import { formatBytes } from './format.ts';

/** The browser lays out all text that is in the page, whether or not it can be seen. */
const CHUNK = 20_000;

interface LongTextProps {
  readonly text: string;
  /** Of the whole text, where `text` is only its beginning. */
  readonly fullLength?: number;
  /** Reads the whole text, where `text` is only its beginning. */
  readonly loadFull?: () => Promise<string>;
  readonly fileName: string;
  readonly label: string;
}

export function LongText({ text, fullLength = text.length, loadFull, fileName, label }: LongTextProps) {
  const [shown, setShown] = useState(CHUNK);
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
  const isCut = shown < fullLength;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable with the keyboard */}
      <pre className="program-text" tabIndex={0} aria-label={label}>
        {whole.slice(0, shown)}
      </pre>
      {(isCut || fullLength > CHUNK) && (
        <Group gap="xs" mt={4}>
          <Text size="xs" c="dimmed">
            {formatBytes(Math.min(shown, fullLength))} of {formatBytes(fullLength)}
          </Text>
          {isCut && (
            <Button size="compact-xs" variant="default" onClick={() => void showMore()}>
              Show more
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void readWhole().then((read) => downloadText(fileName, read))}
          >
            Download
          </Button>
          <CopyButton getText={readWhole} />
        </Group>
      )}
    </>
  );
}
