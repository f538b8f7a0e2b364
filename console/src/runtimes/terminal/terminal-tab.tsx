/** The terminal of a runtime. The emulator is loaded when the tab is opened. */
import { lazy } from 'react';
import { RunningOnly } from '../detail/running-only.tsx';
import type { RuntimeTabProps } from '../runtime-page.tsx';

const TerminalView = lazy(async () => ({ default: (await import('./terminal-view.tsx')).TerminalView }));

export function TerminalTab({ runtime, target, search, onChange }: RuntimeTabProps) {
  return (
    <RunningOnly runtime={runtime} subject="The terminal">
      {/* Another sandbox has other terminals. */}
      <TerminalView
        key={runtime.instance?.sandbox_id}
        target={target}
        terminalId={search.terminal}
        onAttached={(terminal) => onChange({ terminal }, { replace: true })}
      />
    </RunningOnly>
  );
}
