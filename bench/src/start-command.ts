/** How `npm start` runs the server: its Node options and environment are part of the measurement. */
import manifest from '../../package.json' with { type: 'json' };

const COMMAND = /\bexec env ((?:\w+=\S+ )+)"\$node" ((?:--\S+ )+)server\/src\/main\.ts$/;

const [, settings = '', options = ''] = COMMAND.exec(manifest.scripts.start) ?? [];
if (options === '') throw new Error('`npm start` no longer says how Node is run.');

export const NODE_OPTIONS: readonly string[] = options.trim().split(' ');

export const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  settings
    .trim()
    .split(' ')
    .map((setting) => setting.split('=', 2)),
);
