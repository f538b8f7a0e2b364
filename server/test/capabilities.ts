/** Capabilities for tests: published as users do, with an MCP server and workers that need only a shell. */
import { expect } from 'vitest';
import { bundle } from './bundles.ts';
import type { Client } from './harness.ts';

export interface PublishedCapability {
  readonly org?: string;
  readonly name: string;
  readonly version?: string;
  /** Lines of YAML after those that every manifest has. */
  readonly manifest?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export async function publishCapability(client: Client, capability: PublishedCapability): Promise<void> {
  const { org = 'main', name, version = '1.0.0', manifest = '', files = {} } = capability;
  const head = `schema: 1\nname: ${name}\nversion: ${version}\ndescription: "${name} ${version}"\n`;
  const content = bundle({ 'capability.yaml': head + manifest, ...files });
  const response = await client.put(`/org/${org}/capabilities/${name}/${version}`, content);
  expect([response.status, response.body.detail]).toEqual([201, undefined]);
}

/** Implements as much of MCP as these tests need, in bash: `echo`, `fail`, `die`, `where`. */
export const MCP_SERVER = `#!/bin/bash
say() { printf '%s\\n' "$1"; }
while IFS= read -r line; do
  [[ $line =~ \\"id\\":([0-9]+) ]] && id=\${BASH_REMATCH[1]} || id=
  [[ $line =~ \\"method\\":\\"([a-z/]+)\\" ]] && method=\${BASH_REMATCH[1]} || method=
  [[ $line =~ \\"name\\":\\"([a-z]+)\\" ]] && name=\${BASH_REMATCH[1]} || name=
  [[ $line =~ \\"text\\":\\"([^\\"]*)\\" ]] && text=\${BASH_REMATCH[1]} || text=
  result() { say "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":$1}"; }
  words() { result "{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$1\\"}]\${2:-}}"; }
  case $method:$name in
    initialize:*) result '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"bash","version":"1"}}' ;;
    tools/list:*) result '{"tools":[{"name":"echo","description":"says it again","inputSchema":{"type":"object"}},{"name":"where","inputSchema":{"type":"object"}}]}' ;;
    tools/call:echo) words "$text" ',"structuredContent":{"said":"'"$text"'"}' ;;
    tools/call:where) words "$PWD $CAPABILITY_NAME@$CAPABILITY_VERSION $CAPABILITY_ROOT $CAPABILITY_FLAG_FAST_MODE $SETTING $1 $$" ;;
    tools/call:fail) words "it did not work" ',"isError":true' ;;
    tools/call:garbage) say 'this is no message' ;;
    tools/call:flood) while :; do say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}'; done ;;
    tools/call:huge) head -c 9000000 /dev/zero | tr '\\\\0' x ;;
    tools/call:die) echo 'a last word' >&2; exit 3 ;;
    tools/call:hang) sleep 1000 ;;
    tools/call:*) say "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"error\\":{\\"code\\":-32602,\\"message\\":\\"Unknown tool: $name\\"}}" ;;
  esac
done
`;
