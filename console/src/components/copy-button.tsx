import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { showProblem } from './show-problem.ts';

export function CopyButton({ getText }: { readonly getText: () => Promise<string> }) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <Button size="compact-xs" variant="default" onClick={() => void getText().then(copy, showProblem)}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
