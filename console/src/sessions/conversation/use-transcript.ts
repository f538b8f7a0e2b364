import type {
  OneSession,
  ServerEvent,
  SessionMessagesEvent,
  SessionResponse,
  SessionRewoundEvent,
} from '@drydock/sdk';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { drydock } from '../../api/client.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import { Transcript } from './transcript.ts';

/** The transcript of a session. While `isLive`, new messages appear as they are stored. */
export function useTranscript({ org, workspace, session_id }: OneSession, isLive: boolean): Transcript {
  const transcript = useMemo(
    () => new Transcript({ org, workspace, session_id }),
    [org, workspace, session_id],
  );
  useSyncExternalStore(transcript.subscribe, transcript.getVersion);
  useEffect(() => {
    void transcript.refresh();
    return () => transcript.close();
  }, [transcript]);
  useLiveEvents({
    name: isLive ? `sessions/${session_id}` : undefined,
    open: (options) => drydock.sessions.events(transcript.where, options),
    onEvent: (event) => applyEvent(transcript, event),
    onStart: () => void transcript.refresh(),
  });
  return transcript;
}

function applyEvent(transcript: Transcript, { type, data }: ServerEvent): void {
  if (type === 'messages') {
    const { messages, last_seq } = data as SessionMessagesEvent;
    if (messages.length > 0) transcript.append(messages, Math.min(last_seq, messages.at(-1)?.seq ?? 0));
  } else if (type === 'rewound') {
    transcript.rewind((data as SessionRewoundEvent).target_seq);
  } else if (type === 'compacted') {
    transcript.compacted();
  } else if (type === 'session') {
    transcript.setState(data as Partial<SessionResponse>);
  }
}
