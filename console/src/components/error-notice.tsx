import { Alert, Button, Group, Text } from '@mantine/core';
import { toProblem } from '../api/problem.ts';
import { AnchorLink } from './links.tsx';

/** Whether a page shows an error instead of its data: always when the resource is gone or no longer visible. */
export const replacesPage = (error: unknown, data: unknown): boolean =>
  error !== null && error !== undefined && (data === undefined || toProblem(error).isMissing);

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** The target of the link that is shown when the resource is missing; the overview by default. */
  readonly backTo?: string;
  readonly backLabel?: string;
}

/** Shows the error detail of the API with a button that retries, or a link back when the resource is missing. */
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
