import { z } from 'zod';
import { EmailAddress, Password } from '../fields.ts';
import { UserResponse } from '../users/schema.ts';

const InvitationToken = z.string().min(1).max(200).nullish().describe('From the link of an invitation');

export const SignupRequest = z
  .object({
    email_address: EmailAddress,
    password: Password,
    username: z.string().nullish().describe('3 to 39 lower-case letters, digits and inner dashes'),
    invitation_token: InvitationToken,
  })
  .meta({ id: 'SignupRequest' });

export const LoginRequest = z
  .object({
    email_address: EmailAddress,
    password: z.string().min(1).max(256),
    invitation_token: InvitationToken,
  })
  .meta({ id: 'LoginRequest' });

export const RefreshRequest = z
  .object({ refresh_token: z.string().min(1).max(200) })
  .meta({ id: 'RefreshRequest' });

export const LoginResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds until the access token expires'),
    refresh_token: z.string().describe('Good for one refresh within 30 days'),
    user: UserResponse,
  })
  .meta({ id: 'LoginResponse' });

export const BrowserLogin = LoginResponse.omit({ refresh_token: true }).meta({ id: 'BrowserLogin' });

const OrganizationLink = z.object({ key: z.string(), name: z.string() }).meta({ id: 'OrganizationLink' });

export const RefreshResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string(),
    default_org: OrganizationLink.optional(),
    orgs: z.array(OrganizationLink),
  })
  .meta({ id: 'RefreshResponse' });

export const LogoutResponse = z.object({ logged_out: z.literal(true) }).meta({ id: 'LogoutResponse' });

export type Signup = z.output<typeof SignupRequest>;
export type Login = z.output<typeof LoginRequest>;
