/** The text of a message as Markdown. Only its first part is rendered at first, because parsing Markdown takes longer than showing plain text. */
import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { formatBytes } from '../../components/format.ts';
import { CHUNK, useShownText } from '../../components/long-text.tsx';

/** Loaded in parallel with the page, so that the first rows do not wait for it: it is 49 of the 344 KB (gzip) of the page. */
const markdown = import('../../components/markdown.tsx');
const Markdown = lazy(async () => ({ default: (await markdown).Markdown }));

const FIRST = 6_000;

interface MessageTextProps {
  readonly text: string;
  readonly fullLength: number;
  readonly loadFull: () => Promise<string>;
}

export function MessageText({ text, fullLength, loadFull }: MessageTextProps) {
  const { shown, whole, showMore } = useShownText({ text, fullLength, loadFull }, FIRST);
  return (
    <>
      {/* Parts are parsed one by one, so that a further one does not parse the others again. */}
      {toParts(whole, shown).map((part, index) => (
        // A part is identified by its place in the text.
        <Suspense key={index} fallback={<div className="user-text">{part}</div>}>
          <Markdown text={part} />
        </Suspense>
      ))}
      {shown < fullLength && (
        <Button size="compact-xs" variant="default" mt={6} onClick={() => void showMore()}>
          Show more ({formatBytes(fullLength - shown)} left)
        </Button>
      )}
    </>
  );
}

function toParts(text: string, shown: number): string[] {
  const parts = [text.slice(0, FIRST)];
  for (let at = FIRST; at < Math.min(shown, text.length); at += CHUNK) parts.push(text.slice(at, at + CHUNK));
  return parts;
}
