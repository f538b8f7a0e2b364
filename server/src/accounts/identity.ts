/** How members are shown to each other. */
import { fullName } from './fields.ts';

interface IdentifiedUser {
  readonly username: string;
  readonly email_address: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** null: they were added by username, and have not used the organization. */
  readonly first_used_at: string | null;
}

/** The e-mail address and the name of a user who was added unasked stay hidden: anyone can add anyone whose username they know. */
export function toIdentity(id: string, { username, email_address, first_used_at, ...names }: IdentifiedUser) {
  if (first_used_at === null) return { id, username, email: '', full_name: null };
  return { id, username, email: email_address, full_name: fullName(names) };
}
