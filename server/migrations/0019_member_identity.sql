-- oldest program: 0018
-- When the member first used the organization. A user who was added by username did not ask for it: until they use it, its members
-- are not shown their e-mail address and name.
ALTER TABLE memberships ADD COLUMN first_used_at timestamptz(3);
UPDATE memberships SET first_used_at = created_at;
