import { Alert, Button, Group, Text } from '@mantine/core';
import { toProblem } from '../api/problem.ts';
import { AnchorLink } from './links.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** A link for the case that the thing is gone; to the first page unless given. */
  readonly backTo?: string;
  readonly backLabel?: string;
}

/** An error of the API: its own words, what to do, and the way back from something that is gone. */
export function ErrorNotice({ error, onRetry, backTo = '/', backLabel = 'the overview' }: ErrorNoticeProps) {
  const { title, detail, requestId, isMissing } = toProblem(error);
  return (
    <Alert color="red" variant="light" title={title} role="alert" m="md">
      <Text size="sm" className="user-text">
        {detail}
      </Text>
      <Group mt="sm" gap="md">
        {isMissing && (
          <AnchorLink to={backTo} size="sm" c="inherit" td="underline">
            Back to {backLabel}
          </AnchorLink>
        )}
        {onRetry && !isMissing && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {requestId && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
      </Group>
    </Alert>
  );
}
