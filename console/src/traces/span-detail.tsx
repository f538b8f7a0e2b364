/** All fields of one span. */
import type { OneTrace, Span } from '@drydock/sdk';
import { Alert, Badge, CloseButton, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { drydock } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { formatCount, formatDuration, formatTime, formatUsd } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { LongText } from '../components/long-text.tsx';
import { useWhere } from '../frame/scope.ts';

/** Longer values are shown as `LongText`. */
const SHORT_VALUE = 200;

interface SpanDetailProps {
  readonly where: OneTrace;
  readonly spanId: string;
  readonly onClose: () => void;
}

export function SpanDetail({ where, spanId, onClose }: SpanDetailProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['span', where, spanId],
    queryFn: async ({ signal }) => drydock.traces.getSpan({ ...where, span_id: spanId }, { signal }),
    // A span may hold megabytes; it is kept while it is shown.
    gcTime: 0,
    staleTime: Infinity,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={200} />;
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2} size="h5" className="user-text">
          {data.name.slice(0, 1_000) || '(no name)'}
        </Title>
        <CloseButton size="sm" aria-label="Close the span" onClick={onClose} />
      </Group>
      <Group gap={6}>
        <Badge size="sm" variant="default">
          {data.span_type}
        </Badge>
        {data.status.code !== 'unset' && (
          <Badge size="sm" color={data.status.code === 'error' ? 'red' : 'teal'} variant="filled">
            {data.status.code}
          </Badge>
        )}
      </Group>
      {data.status.message && (
        <Alert color={data.status.code === 'error' ? 'red' : 'gray'} variant="light" p="xs">
          <LongText text={data.status.message} fileName={`${spanId}-status.txt`} label="Status message" />
        </Alert>
      )}
      <FactList facts={toFacts(data)} />
      <SessionLink sessionId={data.session_id} />
      <Messages title="Input" messages={data.input_messages} spanId={spanId} />
      <Messages title="Output" messages={data.output_messages} spanId={spanId} />
      <Values title="Attributes" values={data.attributes} spanId={spanId} />
      {data.events.map((event, index) => (
        <Values
          // An event is identified by its place in the span.
          key={index}
          title={`Event ${event.name}`}
          values={event.attributes}
          spanId={spanId}
        />
      ))}
      <Values title="Resource" values={data.resource.attributes} spanId={spanId} />
      {data.links.length > 0 && (
        <Section title="Links">
          {data.links.map((link) => (
            <LinkedTrace
              key={`${link.trace_id}/${link.span_id}`}
              traceId={link.trace_id}
              spanId={link.span_id}
            />
          ))}
        </Section>
      )}
    </Stack>
  );
}

const toFacts = (span: Span): Fact[] => [
  ['Started', formatTime(span.start_time)],
  ['Duration', formatDuration(span.duration_ms)],
  ['Kind', span.kind === 'unspecified' ? null : span.kind],
  ['Operation', span.operation],
  ['Model', span.model],
  ['Provider', span.provider],
  ['Agent', span.agent_name],
  ['Tool', span.tool_name],
  ['Input tokens', span.input_tokens === null ? null : formatCount(span.input_tokens)],
  ['Cached tokens', span.cache_read_input_tokens ? formatCount(span.cache_read_input_tokens) : null],
  ['Output tokens', span.output_tokens === null ? null : formatCount(span.output_tokens)],
  ['Cost', span.cost_usd === null ? null : formatUsd(span.cost_usd)],
  ['Service', span.service_name],
  ['Scope', [span.scope.name, span.scope.version].filter(Boolean).join(' ')],
  ['Span', <span key="id">{span.span_id}</span>],
  ['Parent', span.parent_span_id],
];

function SessionLink({ sessionId }: { readonly sessionId: string | null }) {
  const where = useWhere();
  if (!sessionId) return null;
  return (
    <AnchorLink to="/o/$org/w/$workspace/sessions/$sessionId" params={{ ...where, sessionId }} size="sm">
      Session of this span
    </AnchorLink>
  );
}

function LinkedTrace({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }) {
  const where = useWhere();
  return (
    <AnchorLink
      to="/o/$org/w/$workspace/traces/$traceId"
      params={{ ...where, traceId }}
      search={{ span: spanId }}
      size="xs"
      ff="monospace"
    >
      {traceId}
    </AnchorLink>
  );
}

interface MessagesProps {
  readonly title: string;
  readonly messages: Span['input_messages'];
  readonly spanId: string;
}

function Messages({ title, messages, spanId }: MessagesProps) {
  if (messages.length === 0) return null;
  return (
    <Section title={title}>
      {messages.map((message, index) => (
        // A message is identified by its place in the span.
        <div key={index}>
          <Text size="xs" c="dimmed">
            {[message.role, message.name].filter(Boolean).join(' · ')}
          </Text>
          {message.content !== null && message.content !== undefined && message.content !== '' && (
            <LongText
              text={toText(message.content)}
              fileName={`${spanId}-${title}-${index}.txt`}
              label={`${title}, message ${index + 1}`}
            />
          )}
          {message.tool_calls?.map((call, place) => (
            <LongText
              // A call is identified by its place in the message.
              key={place}
              text={`${call.name ?? ''}(${toText(call.arguments)})`}
              fileName={`${spanId}-call-${place}.txt`}
              label={`${title}, message ${index + 1}, call ${place + 1}`}
            />
          ))}
        </div>
      ))}
    </Section>
  );
}

interface ValuesProps {
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly spanId: string;
}

function Values({ title, values, spanId }: ValuesProps) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <Section title={title}>
      {entries.map(([key, value]) => {
        const text = toText(value);
        return (
          <div key={key}>
            <Text size="xs" c="dimmed" className="user-text" ff="monospace">
              {key}
            </Text>
            {text.length <= SHORT_VALUE ? (
              <Text size="sm" className="user-text">
                {text}
              </Text>
            ) : (
              <LongText text={text} fileName={`${spanId}-attribute.txt`} label={key} />
            )}
          </div>
        );
      })}
    </Section>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack component="section" gap={6} aria-label={title}>
      <Title order={3} size="h6" className="user-text">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
