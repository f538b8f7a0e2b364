import { z } from 'zod';
import { ApiError } from '../../platform/errors.ts';
import { Id, Uuid } from '../../platform/fields.ts';
import { countedFirst } from '../../platform/http/requests/lists.ts';
import { SemVer } from '../../registry/service.ts';
import { RuntimeParams } from '../schema.ts';

/** The same as the maximum in a configuration. */
export const MAX_BINDINGS = 100;
const MAX_FLAGS = 1_000;

export const BindingParams = RuntimeParams.extend({ binding_id: Uuid });

export const InstallCapabilityRequest = z
  .object({
    name: z
      .string()
      .min(1)
      .max(255)
      .describe('Local name, or `owner/name` of a public one of another organization'),
    version: SemVer.nullish().describe('The latest release by default'),
  })
  .meta({ id: 'InstallCapabilityRequest' });
export type InstallRequest = z.output<typeof InstallCapabilityRequest>;

/** A zod record ignores this key, so it could be neither set nor refused. */
const NO_NAME = '__proto__';

const Flags = z.preprocess(
  (given) => {
    if (typeof given !== 'object' || given === null || !Object.hasOwn(given, NO_NAME)) return given;
    const issues = [
      { loc: ['body', 'flags', NO_NAME], msg: 'is not a flag of this capability', type: 'invalid_flag' },
    ];
    throw new ApiError('invalid_flag_error', `"${NO_NAME}" is not a flag of any capability.`, { issues });
  },
  countedFirst(z.record(z.string(), z.boolean()), MAX_FLAGS, (given) =>
    typeof given === 'object' && given !== null ? Object.keys(given).length : 0,
  ),
);

export const UpdateCapabilityBindingRequest = z
  .object({
    enabled: z.boolean().nullish().describe('Whether it is shown in the sandbox'),
    flags: Flags.nullish().describe('Those to set; the others stay as they are'),
    version: SemVer.nullish().describe('Flags that it does not have are forgotten'),
  })
  .meta({ id: 'UpdateCapabilityBindingRequest' });
export type BindingUpdate = z.output<typeof UpdateCapabilityBindingRequest>;

export const RuntimeCapabilityBinding = z
  .object({
    id: Id,
    artifact_id: Id,
    capability_name: z.string().describe('Local name, or `owner/name` of another organization’s'),
    version: z.string(),
    enabled: z.boolean(),
    component_counts: z
      .record(z.string(), z.int())
      .describe('agents, tools, skills, hooks, mcp_servers, workers'),
    flags: z.record(z.string(), z.boolean()).describe('As they are in effect'),
    description: z.string().nullable(),
    latest_version: z.string().nullable().describe('The newest release that there is for you'),
    source: z
      .enum(['organization', 'public'])
      .nullable()
      .describe(
        '`organization`: an artifact of this organization; `public`: a public artifact of another organization',
      ),
  })
  .meta({ id: 'RuntimeCapabilityBinding' });
export type BindingOf = z.output<typeof RuntimeCapabilityBinding>;

export const RuntimeCapabilityBindings = z.array(RuntimeCapabilityBinding);
