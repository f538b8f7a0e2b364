import { z } from 'zod';
import { Id, Timestamp } from '../../platform/fields.ts';

export const DeviceCode = z
  .object({
    id: Id,
    device_code: z.string().describe('For the program alone: whoever has it gets the tokens'),
    user_code: z.string().describe('To be shown to the user'),
    verification_url: z
      .string()
      .describe('For a console that shows a page there; the approval itself is `POST /auth/device/approve`'),
    expires_at: Timestamp,
    expires_in: z.int().describe('Seconds that are left'),
    completed: z.boolean().describe('A user has approved it'),
    user_id: Id.nullable().describe('User who approved it'),
  })
  .meta({ id: 'DeviceCode' });

export const DeviceApprovalRequest = z
  .object({ user_code: z.string().min(1).max(100).describe('Case, dashes and spaces do not matter') })
  .meta({ id: 'DeviceApprovalRequest' });

export const DeviceApproval = z
  .object({ id: Id, user_code: z.string(), completed: z.literal(true), user_id: Id })
  .meta({ id: 'DeviceApproval' });

export const DeviceTokenRequest = z
  .object({ device_code: z.string().min(1).max(200) })
  .meta({ id: 'DeviceTokenRequest' });

export const DeviceTokens = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds until the access token expires'),
    refresh_token: z.string().describe('Good for one refresh within 30 days'),
  })
  .meta({ id: 'DeviceTokens' });

export const deviceCodeParam = z.object({ device_code: z.string().max(200) });
