import { ActionIcon, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';

interface HitButtonsProps {
  readonly isDisabled: boolean;
  readonly onStep: (direction: 1 | -1) => void;
}

/** Buttons for the previous and the next hit of a search. The search field does the same with Enter and Shift+Enter. */
export function HitButtons({ isDisabled, onStep }: HitButtonsProps) {
  return (
    <>
      <Tooltip label="Previous hit (Shift+Enter)">
        <ActionIcon
          size="md"
          variant="default"
          aria-label="Previous hit"
          disabled={isDisabled}
          onClick={() => onStep(-1)}
        >
          <IconChevronUp size={14} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Next hit (Enter)">
        <ActionIcon
          size="md"
          variant="default"
          aria-label="Next hit"
          disabled={isDisabled}
          onClick={() => onStep(1)}
        >
          <IconChevronDown size={14} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
