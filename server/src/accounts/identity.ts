/** Identities of members as shown to each other. */
import { fullName } from './fields.ts';

interface IdentifiedUser {
  readonly username: string;
  readonly email_address: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** Null for users who were added by username and have not used the organization. */
  readonly first_used_at: string | null;
}

/** Hides the email address and name of a user who was added without agreement: anyone can add users whose username they know. */
export function toIdentity(id: string, { username, email_address, first_used_at, ...names }: IdentifiedUser) {
  if (first_used_at === null) return { id, username, email: '', full_name: null };
  return { id, username, email: email_address, full_name: fullName(names) };
}
