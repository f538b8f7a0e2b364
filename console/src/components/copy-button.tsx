import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

export function CopyButton({ getText }: { readonly getText: () => string | Promise<string> }) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <Button size="compact-xs" variant="default" onClick={async () => copy(await getText())}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
