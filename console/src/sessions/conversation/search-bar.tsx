/** The search within a conversation, and the button that jumps to the next error. */
import { Button, Loader, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconSearch } from '@tabler/icons-react';
import { formatCount, formatCountOf, formatPercent } from '../../components/format.ts';
import { HitButtons } from '../../components/hit-buttons.tsx';
import styles from './conversation.module.css';
import type { TranscriptSearch } from './transcript-search.ts';

interface SearchBarProps {
  readonly q: string;
  readonly onQueryChange: (q: string) => void;
  readonly search: TranscriptSearch;
  /** Index among the hits; -1 before the first step. */
  readonly current: number;
  readonly onStep: (direction: 1 | -1) => void;
  readonly total: number;
  readonly onNextError: () => void;
  /** `none`: there is no error in the whole session. */
  readonly errorState: 'idle' | 'searching' | 'none';
}

export function SearchBar(props: SearchBarProps) {
  const { q, onQueryChange, search, current, onStep, total, onNextError, errorState } = props;
  return (
    <div className={styles['bar']} role="search">
      <TextInput
        size="xs"
        w={240}
        leftSection={<IconSearch size={14} />}
        placeholder="Search in this conversation"
        aria-label="Search in this conversation"
        value={q}
        onChange={(event) => onQueryChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') onQueryChange('');
        }}
      />
      {q !== '' && (
        <>
          <HitButtons isDisabled={search.hits.length === 0} onStep={onStep} />
          <Text size="xs" c="dimmed" role="status">
            {current >= 0 ? `${formatCount(current + 1)} of ` : ''}
            {formatCountOf(search.hits.length, 'message')}
            {!search.isDone && ` · ${formatPercent(total > 0 ? search.searched / total : 0)} searched`}
          </Text>
          {!search.isDone && <Loader size={12} />}
        </>
      )}
      <Button
        size="xs"
        variant="default"
        ml="auto"
        leftSection={<IconAlertTriangle size={14} />}
        loading={errorState === 'searching'}
        onClick={onNextError}
      >
        {errorState === 'none' ? 'No errors' : 'Next error'}
      </Button>
      <Text size="xs" c="dimmed" miw={90} ta="right">
        {formatCountOf(total, 'message')}
      </Text>
    </div>
  );
}
