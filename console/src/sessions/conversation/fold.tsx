/** A part of a message that is folded until someone wants to read it, or a search has found something in it. */
import { IconChevronRight } from '@tabler/icons-react';
import { createContext, type ReactNode, use, useState } from 'react';
import styles from './conversation.module.css';

/** What is searched for, in the message that is the current hit. */
export const FoundText = createContext('');

interface FoldProps {
  readonly title: ReactNode;
  /** What a search looks at. */
  readonly text: string;
  readonly isOpenAtFirst?: boolean;
  readonly isError?: boolean;
  readonly children: ReactNode;
}

export function Fold({ title, text, isOpenAtFirst = false, isError = false, children }: FoldProps) {
  const [chosen, setChosen] = useState<boolean>();
  const found = use(FoundText);
  const isOpen = chosen ?? (isOpenAtFirst || (found !== '' && text.toLowerCase().includes(found)));
  return (
    <div className={styles['fold']} data-error={isError || undefined}>
      <button
        type="button"
        className={styles['foldTitle']}
        aria-expanded={isOpen}
        onClick={() => setChosen(!isOpen)}
      >
        <IconChevronRight size={14} className={styles['chevron']} aria-hidden />
        {title}
      </button>
      {isOpen && <div className={styles['foldBody']}>{children}</div>}
    </div>
  );
}
