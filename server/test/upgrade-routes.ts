/** An operation that takes over connections and echoes what it receives, for tests of upgrades. */
import { z } from 'zod';
import { ApiError } from '../src/platform/errors.ts';
import { workspaceRoutes } from '../src/platform/http/operations.ts';

export interface UpgradesSeen {
  /** Abort reasons of signals. */
  aborted: string[];
}

const UpgradeResponse = z.object({ number: z.int(), protocol: z.string().nullable() }).meta({ id: 'Spoken' });

export function upgradeRoutes(seen: UpgradesSeen) {
  return workspaceRoutes('Talk', (on) => {
    on.get(
      '/talks/:number/*path',
      {
        id: 'talk',
        summary: 'Talk',
        scope: 'projects:write',
        role: 'contributor',
        params: z.object({ number: z.coerce.number().int(), path: z.string() }),
        response: UpgradeResponse,
        upgrades: true,
      },
      async ({ params, upgrade }) => {
        if (params.path === 'conflict') throw new ApiError('conflict_error', 'Not now.');
        if (params.path === 'plain' || !upgrade)
          return { number: params.number, protocol: upgrade?.protocol ?? null };
        const { socket, head, signal } = upgrade.take();
        if (params.path === 'broken') throw new ApiError('conflict_error', 'It broke on the way.');
        signal.addEventListener('abort', () => {
          const { name, message } = signal.reason as Error;
          seen.aborted.push(name === 'AbortError' ? name : message);
          if (params.path === 'polite') socket.end('bye');
        });
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: talk\r\n\r\n`);
        socket.write(head);
        socket.on('data', (bytes) => socket.write(bytes)).on('end', () => socket.end());
        return { number: 0, protocol: null };
      },
    );
  });
}
