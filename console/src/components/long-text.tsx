/** The output of programs. A page with 10 MB of text would freeze, so that it is shown in pieces. */
import { Box, Button, Code, Group } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useState } from 'react';
import { formatCount } from './format.ts';

const PIECE = 20_000;

export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const [shown, setShown] = useState(PIECE);
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <Box>
      <Code
        block
        mah={480}
        tabIndex={0}
        aria-label={label}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}
      >
        {text.slice(0, shown)}
      </Code>
      <Group gap="xs" mt={4}>
        {text.length > shown && (
          <Button size="compact-xs" variant="default" onClick={() => setShown(shown + PIECE)}>
            Show more ({formatCount(text.length - shown)} characters)
          </Button>
        )}
        <Button size="compact-xs" variant="default" onClick={() => copy(text)} aria-label={`Copy ${label}`}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </Group>
    </Box>
  );
}
