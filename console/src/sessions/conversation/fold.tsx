/** A part of a message that is collapsed until the user opens it, or a search finds something in it. */
import { IconChevronRight } from '@tabler/icons-react';
import { createContext, type ReactNode, use, useState } from 'react';
import styles from './conversation.module.css';

/** The searched text in lower case, inside the message that is the current hit; empty elsewhere. */
export const FoundText = createContext('');

interface FoldProps {
  readonly title: ReactNode;
  /** The searchable text of the content. */
  readonly text: string;
  readonly isInitiallyOpen?: boolean;
  readonly isError?: boolean;
  readonly children: ReactNode;
}

export function Fold({ title, text, isInitiallyOpen = false, isError = false, children }: FoldProps) {
  const [chosen, setChosen] = useState<boolean>();
  const found = use(FoundText);
  const isOpen = chosen ?? (isInitiallyOpen || (found !== '' && text.toLowerCase().includes(found)));
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
