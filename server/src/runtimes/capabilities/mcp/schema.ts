import { z } from 'zod';
import { BindingParams } from '../schema.ts';

const Name = z.string().min(1).max(255);

export const ServerParams = BindingParams.extend({ server: Name });
export const ToolParams = ServerParams.extend({ tool: Name });

const AnyObject = z.record(z.string(), z.unknown());

export const CapabilityMcpServers = z.array(
  z
    .object({
      name: z.string(),
      transport: z
        .enum(['stdio', 'http', 'unknown'])
        .describe('`stdio`: runs in the sandbox; `http`: call it at its address; `unknown`: see `problem`'),
      command: z.array(z.string()).nullable().describe('What is run in the sandbox'),
      url: z.string().nullable(),
      problem: z.string().nullable().describe('Mistakes in the manifest'),
    })
    .meta({ id: 'CapabilityMcpServer' }),
);

export const CapabilityMcpTools = z.array(
  z
    .object({
      name: z.string(),
      title: z.string().nullable(),
      description: z.string().nullable(),
      input_schema: AnyObject.describe('JSON Schema of its arguments'),
      output_schema: AnyObject.nullable().describe('JSON Schema of `structured_content`'),
    })
    .meta({ id: 'CapabilityMcpTool' }),
);

export const CallMcpToolRequest = z
  .object({ arguments: AnyObject.default({}) })
  .meta({ id: 'CallMcpToolRequest' });

export const CallMcpToolResponse = z
  .object({
    content: z
      .array(AnyObject)
      .describe('Blocks as the server sent them, such as `{"type": "text", "text": …}`'),
    structured_content: AnyObject.nullable(),
    is_error: z.boolean().describe('The tool reports a failure, described in `content`'),
  })
  .meta({ id: 'CallMcpToolResponse' });
