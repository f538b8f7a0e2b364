/** What a person sees when the server starts. */
import type { AddressInfo } from 'node:net';
import type { FirstOwner } from './accounts/first-start.ts';
import type { Config } from './config.ts';

export function printBanner(
  config: Config,
  address: AddressInfo | string | null,
  owner: FirstOwner | undefined,
): void {
  const port = typeof address === 'object' && address ? address.port : config.port;
  const url = config.port === 0 ? config.publicUrl.replace(/:0$/, `:${port}`) : config.publicUrl;
  const lines = ['', `  Drydock runs on   ${url}`, `  Documentation     ${url}/api/v1/docs`];
  if (owner) {
    lines.push(
      '',
      '  The first start made an owner. What was generated is shown only now:',
      `    e-mail          ${owner.email}`,
    );
    lines.push(`    password        ${owner.password ?? '(the given one)'}`);
    lines.push(`    API key         ${owner.apiKey ?? '(the given one)'}`);
  }
  console.log([...lines, ''].join('\n'));
}
