/** The tables that belong to no organization. They are few; every other table is a tenant's. */
export const GLOBAL_TABLES: readonly string[] = [
  'account_audit_log',
  'api_keys',
  'device_codes',
  'dropped_blobs',
  'idempotency_keys',
  'identities',
  'login_attempts',
  'logins',
  'object_store',
  'object_upload_parts',
  'object_uploads',
  'organizations',
  'public_catalogue',
  'rate_limits',
  'refresh_tokens',
  'sandbox_hosts',
  'schema_migrations',
  'storage_quotas',
  'stored_objects',
  'user_secrets',
  'users',
];

export const isGlobal = (table: string) => GLOBAL_TABLES.includes(table);
