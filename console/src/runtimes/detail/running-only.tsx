/** Parts of a runtime that only a running sandbox has, and only for its owner. */
import type { Runtime } from '@drydock/sdk';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';

interface RunningOnlyProps {
  readonly runtime: Runtime;
  /** Such as `The terminal`. */
  readonly subject: string;
  readonly children: ReactNode;
}

/** Shows its children while the runtime runs, and else what to do. */
export function RunningOnly({ runtime, subject, children }: RunningOnlyProps) {
  const { owned_by_me, status, instance } = runtime;
  if (!owned_by_me)
    return (
      <EmptyState title="This belongs to the owner">
        {subject} can be used only by the owner of the runtime. Create a runtime of your own to get one.
      </EmptyState>
    );
  if (status === 'running') return children;
  return status === 'paused' ? (
    <EmptyState title="The runtime is paused">
      {subject} needs a running sandbox. Choose “Resume” above: it goes on where it was.
    </EmptyState>
  ) : (
    <EmptyState title={instance ? 'The sandbox has ended' : 'The runtime was not started yet'}>
      {subject} needs a running sandbox. Choose “Start” above{instance ? ': the disk was kept' : ''}.
    </EmptyState>
  );
}
