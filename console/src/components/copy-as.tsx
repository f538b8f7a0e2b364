/** Copies the API request behind a page as a curl command or as TypeScript. */
import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCode } from '@tabler/icons-react';

interface CopyAsProps {
  /** The path without its query, such as `/api/v1/org/main/ws/main/evaluations`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  /** The same call with the SDK, such as `await drydock.evaluations.list(where)`. */
  readonly code: string;
}

export function CopyAs({ path, query = {}, method = 'GET', body, code }: CopyAsProps) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const curl = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(location.origin + path + toQueryString(query))}`,
    '-H "Authorization: Bearer $DRYDOCK_API_KEY"',
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
  const program = `import { Drydock } from '@drydock/sdk';\n\nconst drydock = new Drydock({ baseUrl: '${location.origin}' });\nconsole.log(${code});\n`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={copied ? <IconCheck size={14} /> : <IconCode size={14} />}
        >
          {copied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy(curl)}>curl</Menu.Item>
        <Menu.Item onClick={() => copy(program)}>TypeScript</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A list is sent as one parameter for each of its values. */
function toQueryString(query: Readonly<Record<string, unknown>>): string {
  const parameters = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => [key, String(one)]),
  );
  return parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : '';
}
