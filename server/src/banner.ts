/** What a person sees when the server starts. */
import type { AddressInfo } from 'node:net';
import type { FirstOwner } from './accounts/first-start.ts';
import type { Config } from './config.ts';

export function printFirstOwner(owner: FirstOwner | undefined): void {
  if (!owner) return;
  print([
    'The first start made an owner. What was generated is shown only now:',
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
    `Documentation     ${url}/api/v1/docs`,
    ...(s3Endpoint ? [`Objects (S3)      ${s3Endpoint}`] : []),
  ]);
}

export function printWorker(): void {
  print(['Drydock works on jobs. This process answers no requests: its DRYDOCK_ROLE is worker.']);
}

function print(lines: readonly string[]): void {
  console.log(['', ...lines.map((line) => `  ${line}`), ''].join('\n'));
}
