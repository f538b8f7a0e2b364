import { z } from 'zod';
import { Id, Timestamp } from '../../platform/fields.ts';
import { STORED_KINDS } from '../../platform/storage-limits/quotas.ts';
import { Password } from '../fields.ts';
import { usernamePattern } from './username.ts';

const TeamEntry = z
  .object({
    team_id: Id,
    team_name: z.string(),
    role: z.enum(['owner', 'member']).describe('An admin is a member with is_admin'),
    org_id: Id.nullable(),
    org_name: z.string().nullable(),
    member_id: Id.nullable(),
    is_admin: z.boolean().nullable(),
    is_owner: z.boolean().nullable(),
  })
  .meta({ id: 'TeamEntry' });

const Quota = z.object({ used: z.number(), limit: z.number().nullable() });

export const UserLimits = z
  .object({
    user_id: Id,
    storage: Quota.nullish().describe('Bytes: the most used quota of the organizations below'),
    organizations: z
      .array(Quota.extend({ org_id: Id, kind: z.enum(STORED_KINDS) }))
      .nullish()
      .describe('Bytes that each organization of the user stores, by kind'),
    tracked_hours: Quota.nullish(),
    has_warnings: z.boolean(),
    has_exceeded: z.boolean(),
    checked_at: Timestamp,
  })
  .meta({ id: 'UserLimits' });

export const UserResponse = z
  .object({
    id: Id,
    username: z.string(),
    email_address: z.string(),
    email_opt_in: z.boolean().describe('Whether the user opted in to product email'),
    onboarding_complete: z.boolean(),
    is_platform_admin: z.boolean(),
    features: z.array(z.string()).nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    full_name: z.string().nullable(),
    groups: z.array(z.object({ id: Id, name: z.string() })).nullable(),
    teams: z.array(TeamEntry).nullable().describe('One entry per organization'),
    limits: UserLimits.nullable(),
  })
  .meta({ id: 'UserResponse' });

export const OnboardingRequest = z
  .object({
    username: z.string().meta({
      description: '3 to 39 lower-case letters, digits and inner dashes',
      pattern: usernamePattern.source,
    }),
    email_opt_in: z.boolean().optional(),
    org_name: z.string().trim().min(1).max(255).nullish().describe('Creates an organization of this name'),
  })
  .meta({ id: 'OnboardingRequest' });

export const UserUpdateRequest = z
  .object({
    username: z.string().meta({ pattern: usernamePattern.source }).optional(),
    first_name: z.string().trim().max(100).nullish(),
    last_name: z.string().trim().max(100).nullish(),
    email_opt_in: z.boolean().optional(),
    password: Password.optional().describe('A new password; ends all other logins'),
    current_password: z.string().max(256).optional().describe('Needed with a new password'),
  })
  .meta({ id: 'UserUpdateRequest' });

export type UserUpdate = z.output<typeof UserUpdateRequest>;
export type Onboarding = z.output<typeof OnboardingRequest>;
