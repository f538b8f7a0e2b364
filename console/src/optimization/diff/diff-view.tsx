/** A text beside the one that it was made of, line by line. */
import { Button, Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { formatCount } from '../../components/format.ts';
import styles from '../optimization.module.css';
import { type DiffLine, diffLines } from './line-diff.ts';

/** Lines that are in the page before "Show more" is clicked: the browser lays out all of them. */
const SHOWN_LINES = 500;
/** Longer texts are cut for the comparison, which would freeze the page. */
const MAX_CHARACTERS = 200_000;

const SIGNS = { same: '', removed: '−', added: '+' } as const;
const WORDS = { same: '', removed: 'removed', added: 'added' } as const;

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  /** The name of the comparison for screen readers. */
  readonly label: string;
}

export function DiffView({ before, after, label }: DiffViewProps) {
  const lines = useMemo(
    () => diffLines(before.slice(0, MAX_CHARACTERS), after.slice(0, MAX_CHARACTERS)),
    [before, after],
  );
  const [shown, setShown] = useState(SHOWN_LINES);
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  const isCut = Math.max(before.length, after.length) > MAX_CHARACTERS;
  return (
    <div>
      <Group gap="sm" mb={4}>
        <Text size="xs" c="dimmed">
          {before === after
            ? 'No difference'
            : `${formatCount(count('added'))} added, ${formatCount(count('removed'))} removed`}
          {isCut && `, in the first ${formatCount(MAX_CHARACTERS)} characters`}
        </Text>
      </Group>
      {/* A block that scrolls has to be reachable with the keyboard. */}
      <div className={styles['diff']} tabIndex={0} role="group" aria-label={label}>
        <table aria-label={label}>
          <tbody>
            {lines.slice(0, shown).map((line) => (
              <Line key={`${line.before ?? ''}/${line.after ?? ''}`} line={line} />
            ))}
          </tbody>
        </table>
      </div>
      {shown < lines.length && (
        <Button size="compact-xs" variant="default" mt={4} onClick={() => setShown(shown + SHOWN_LINES)}>
          Show more lines
        </Button>
      )}
    </div>
  );
}

function Line({ line: { kind, before, after, parts } }: { readonly line: DiffLine }) {
  const Mark = kind === 'removed' ? 'del' : 'ins';
  return (
    <tr data-kind={kind}>
      <td className={styles['number']}>{before}</td>
      <td className={styles['number']}>{after}</td>
      <td className={styles['sign']} aria-label={WORDS[kind] || undefined}>
        {SIGNS[kind]}
      </td>
      <td className={styles['line']}>
        {parts.map(({ text, isChanged }, index) =>
          // oxlint-disable-next-line react/no-array-index-key -- the parts of a line have no other name
          isChanged ? <Mark key={index}>{text}</Mark> : <span key={index}>{text}</span>,
        )}
      </td>
    </tr>
  );
}
