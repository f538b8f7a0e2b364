/** Texts printed in the terminal when the server starts and stops. */
import type { AddressInfo } from 'node:net';
import type { FirstOwner } from './accounts/first-start.ts';
import type { Config } from './config.ts';
import type { Metrics } from './platform/metrics/metrics.ts';

export function printFirstOwner(owner: FirstOwner | undefined): void {
  if (!owner) return;
  print([
    'The first owner. What was generated is shown until it is first used:',
    `  e-mail          ${owner.email}`,
    `  password        ${owner.password ?? '(the given one)'}`,
    `  API key         ${owner.apiKey ?? '(the given one)'}`,
  ]);
}

export function printAddress(
  config: Config,
  address: AddressInfo | string | null,
  s3Endpoint: string | null,
): void {
  const port = typeof address === 'object' && address ? address.port : config.port;
  const url = config.port === 0 ? config.publicUrl.replace(/:0$/, `:${port}`) : config.publicUrl;
  print([
    `Drydock runs on   ${url}`,
    `API reference     ${url}/api/v1/docs`,
    ...(s3Endpoint ? [`Objects (S3)      ${s3Endpoint}`] : []),
  ]);
}

export function printWorker(): void {
  print(['Drydock works on jobs. This process answers no requests: its DRYDOCK_ROLE is worker.']);
}

/** Lists what the stopping process waits for and which sandboxes keep running. */
export async function describeStop(
  { metrics, background }: { metrics?: Metrics; background?: { readonly runningJobs: number } },
  drainMs: number,
): Promise<string[]> {
  const valueOf = async (name: string) => (await metrics?.valueOf(name)) ?? 0;
  const http = await valueOf('drydock_http_requests_in_flight');
  const requests = http + (await valueOf('drydock_s3_requests_in_flight'));
  const jobs = background?.runningJobs ?? 0;
  const sandboxes = await valueOf('drydock_sandboxes');
  const waits = [requests > 0 && count(requests, 'request'), jobs > 0 && count(jobs, 'job')].filter(Boolean);
  return [
    waits.length === 0
      ? 'Stopping.'
      : `Stopping: waiting up to ${drainMs / 1_000} s for ${waits.join(' and ')}. Press Ctrl-C again to stop now.`,
    ...(sandboxes === 0
      ? []
      : [
          `${count(sandboxes, 'sandbox', 'es')} live${sandboxes === 1 ? 's' : ''} on, and the next start takes over. To end sandboxes, delete their runtimes; "npm run reset" ends all and removes all data.`,
        ]),
  ];
}

const count = (number: number, noun: string, plural = 's') =>
  `${number} ${noun}${number === 1 ? '' : plural}`;

function print(lines: readonly string[]): void {
  console.log(['', ...lines.map((line) => `  ${line}`), ''].join('\n'));
}
