/** One session: its outline, its conversation and its attributes. */
import type { SessionResponse } from '@drydock/sdk';
import { Badge, Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArchive, IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { drydock } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { downloadFile } from '../components/download.ts';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { FactList } from '../components/fact-list.tsx';
import { AnchorLink } from '../components/links.tsx';
import { useWhere } from '../frame/scope.ts';
import { ConversationView } from './conversation/conversation.tsx';
import type { Transcript } from './conversation/transcript.ts';
import { useTranscript } from './conversation/use-transcript.ts';
import type { SessionSearch } from './search.ts';
import styles from './session.module.css';
import { SessionOutline } from './session-outline.tsx';
import { Labels, toFacts } from './session-panel.tsx';
import { titleOf } from './session-title.ts';

const route = getRouteApi('/o/$org/w/$workspace/sessions/$sessionId');

export function SessionPage() {
  const where = useWhere();
  const { sessionId } = route.useParams();
  const { q = '', at } = route.useSearch();
  const navigate = route.useNavigate();
  const transcript = useTranscript({ ...where, session_id: sessionId }, true);
  const change = (next: SessionSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const [jumpCount, setJumpCount] = useState(0);
  const jump = (seq: number) => {
    setJumpCount((count) => count + 1);
    change({ at: seq });
  };
  const { session, error } = transcript;
  if (!session || replacesPage(error, session))
    return error === undefined ? (
      <Skeleton h={320} m="md" />
    ) : (
      <ErrorNotice
        error={error}
        onRetry={() => void transcript.refresh()}
        backTo={`/o/${where.org}/w/${where.workspace}/sessions`}
        backLabel="all sessions"
      />
    );
  return (
    <div className={styles['page']}>
      <SessionHeader session={session} transcript={transcript} />
      <div className={styles['panes']}>
        <SessionOutline transcript={transcript} at={at} onJump={jump} />
        <ConversationView
          transcript={transcript}
          q={q}
          onQueryChange={(text) => change({ q: text || undefined })}
          at={at}
          jumpCount={jumpCount}
          onJump={jump}
        />
        <aside className={styles['attributes']} aria-label="Attributes">
          <Attributes session={session} />
        </aside>
      </div>
    </div>
  );
}

interface SessionHeaderProps {
  readonly session: SessionResponse;
  readonly transcript: Transcript;
}

function SessionHeader({ session, transcript }: SessionHeaderProps) {
  const { where } = transcript;
  const queries = useQueryClient();
  const isArchived = session.archived_at !== null;
  const archive = useAction(
    () => (isArchived ? drydock.sessions.unarchive(where) : drydock.sessions.archive(where)),
    (changed) => {
      transcript.setState(changed);
      void queries.invalidateQueries({ queryKey: ['sessions'] });
      void queries.invalidateQueries({ queryKey: ['session-facets'] });
    },
  );
  const download = useAction(
    () => drydock.sessions.trajectory(where, { format: 'atif', include_compacted: true }),
    (trajectory) => downloadFile(`${session.id}.atif.json`, JSON.stringify(trajectory), 'application/json'),
  );
  return (
    <div className={styles['head']}>
      <div className={styles['title']}>
        <Title order={1} size="h4" className="user-text" lineClamp={1}>
          {titleOf(session)}
        </Title>
        <Text size="xs" c="dimmed" ff="monospace">
          {session.id}
        </Text>
      </div>
      {isArchived && <Badge variant="default">archived</Badge>}
      {session.frozen_at && <Badge variant="default">frozen</Badge>}
      <Button.Group ml="auto">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArchive size={14} />}
          loading={archive.isPending}
          onClick={() => archive.mutate(undefined)}
        >
          {isArchived ? 'Unarchive' : 'Archive'}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          loading={download.isPending}
          onClick={() => download.mutate(undefined)}
        >
          Trajectory (ATIF)
        </Button>
      </Button.Group>
      <CopyAs
        path={`/api/v1/org/${where.org}/ws/${where.workspace}/sessions/${session.id}/transcript`}
        query={{ include_compacted: true }}
        code={`await drydock.transcripts.get(${JSON.stringify(where)}, { include_compacted: true })`}
      />
    </div>
  );
}

function Attributes({ session }: { readonly session: SessionResponse }) {
  const where = useWhere();
  const { group } = session;
  return (
    <Stack gap="md">
      <FactList facts={toFacts(session)} />
      <Labels labels={session.labels} />
      <Stack gap={4} component="nav" aria-label="Related">
        <AnchorLink
          to="/o/$org/w/$workspace/traces"
          params={where}
          search={{ session: session.id }}
          size="sm"
        >
          Traces of this session
        </AnchorLink>
        <AnchorLink
          to="/o/$org/w/$workspace/lineage"
          params={where}
          search={{ session: session.id }}
          size="sm"
        >
          Lineage of this session
        </AnchorLink>
        {group?.evaluation_id && group.evaluation_item_id && (
          <AnchorLink
            to="/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId"
            params={{ ...where, evaluationId: group.evaluation_id, itemId: group.evaluation_item_id }}
            size="sm"
          >
            Evaluation sample
          </AnchorLink>
        )}
        {session.project_key && (
          <AnchorLink
            to="/o/$org/w/$workspace/sessions"
            params={where}
            search={{ project: session.project_key }}
            size="sm"
            className="user-text"
          >
            Project {session.project_name ?? session.project_key}
          </AnchorLink>
        )}
      </Stack>
    </Stack>
  );
}
