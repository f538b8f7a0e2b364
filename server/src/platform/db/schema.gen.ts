// Generated from the migrations by `npm run generate`. Do not edit.
import type { Generated } from 'kysely';

interface AbandonedPrefixes {
  organization_id: string;
  prefix: string;
  abandoned_at: Generated<string>;
}

interface AccountAuditLog {
  id: string;
  user_id: string;
  api_key_id: string | null;
  action: string;
  resource: string;
  before: unknown | null;
  after: unknown | null;
  request_id: string | null;
  created_at: Generated<string>;
}

interface AirtAssessments {
  organization_id: string;
  id: string;
  workspace_id: string;
  project_id: string;
  created_by: string;
  name: string;
  description: string | null;
  status: Generated<'completed' | 'failed' | 'pending' | 'running'>;
  attack_manifest: unknown | null;
  attacker_config: unknown | null;
  target_config: unknown | null;
  attacker_model: string | null;
  judge_model: string | null;
  target_model: string | null;
  workflow_run_id: string | null;
  workflow_script: string | null;
  runtime_id: string | null;
  session_id: string | null;
  run_by: 'client' | 'server' | null;
  execution: unknown | null;
  retest_of: string | null;
  overall_asr: number | null;
  risk_score: number | null;
  analytics_snapshot: unknown | null;
  stop_reason: string | null;
  error: string | null;
  spans_until: string | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  started_at: string | null;
  completed_at: string | null;
}

interface AirtCalls {
  organization_id: string;
  finding_id: string;
  seq: number;
  role: 'attacker' | 'judge' | 'target';
  response: string | null;
  error: string | null;
  details: unknown | null;
}

interface AirtFindingReviews {
  organization_id: string;
  id: string;
  workspace_id: string;
  assessment_id: string;
  finding_id: string;
  attack_name: string;
  original_finding_type: string;
  updated_finding_type: string;
  original_severity: string;
  updated_severity: string;
  original_status: string;
  updated_status: string;
  reasoning: string | null;
  retest_id: string | null;
  user_id: string | null;
  updated_by: string;
  updated_at: Generated<string>;
}

interface AirtFindings {
  organization_id: string;
  id: string;
  assessment_id: string;
  workspace_id: string;
  project_id: string;
  position: number;
  attack_name: string;
  goal: string;
  goal_category: string | null;
  request: unknown | null;
  status: Generated<'completed' | 'failed' | 'pending' | 'running'>;
  job_attempt: Generated<number>;
  error: string | null;
  finding_status: Generated<'accepted_risk' | 'false_positive' | 'incorrect_scoring' | 'open' | 'remediated'>;
  finding_type: Generated<'degradation' | 'error' | 'evasion' | 'jailbreak' | 'partial' | 'refusal' | 'robust'>;
  severity: Generated<'critical' | 'high' | 'info' | 'low' | 'medium'>;
  run_finding_type: Generated<string>;
  run_severity: Generated<string>;
  original_severity: string | null;
  is_type_reviewed: Generated<boolean>;
  is_severity_reviewed: Generated<boolean>;
  notes: string | null;
  threshold: Generated<number>;
  best_score: number | null;
  total_trials: Generated<number>;
  finished_trials: Generated<number>;
  jailbreak_trials: Generated<number>;
  execution_time_s: number | null;
  compliance_tags: unknown | null;
  transforms_applied: string[] | null;
  best_candidate: string | null;
  best_transformed_prompt: string | null;
  best_response: string | null;
  best_judge_reasoning: string | null;
  target_model: string | null;
  attacker_model: string | null;
  evaluator_model: string | null;
  reported: Generated<unknown>;
  trace_id: string | null;
  span_id: string | null;
  retest_id: string | null;
  cost_usd: Generated<number>;
  model_calls: Generated<number>;
  created_at: Generated<string>;
  started_at: string | null;
  updated_at: string | null;
  completed_at: string | null;
}

interface AirtRegressionTasks {
  organization_id: string;
  finding_id: string;
  task_name: string;
  task_version: string;
  created_at: Generated<string>;
}

interface AirtRemediationEvidence {
  organization_id: string;
  finding_id: string;
  gate_check_id: string;
  assessment_id: string | null;
  evaluation_id: string | null;
  target: string;
  finished: number;
  jailbreaks: number;
  created_at: Generated<string>;
}

interface AirtReports {
  organization_id: string;
  id: string;
  assessment_id: string;
  report_type: string;
  content: string | null;
  content_json: unknown | null;
  created_by: string;
  created_at: Generated<string>;
}

interface AirtRuns {
  organization_id: string;
  id: string;
  status: Generated<'cancelled' | 'completed' | 'failed' | 'queued' | 'running'>;
  attempt: Generated<number>;
  checkpoint: unknown | null;
  error: string | null;
  cancel_requested_at: string | null;
  started_at: string | null;
  completed_at: string | null;
}

interface AirtTrials {
  organization_id: string;
  id: string;
  assessment_id: string;
  finding_id: string;
  trial_index: number;
  trial_status: string;
  candidate: string;
  transformed_prompt: string;
  response: string;
  judge_reasoning: string;
  score: number | null;
  is_jailbreak: boolean;
  is_refusal: boolean;
  transforms_applied: string[];
  error: string | null;
  session_id: string | null;
  actions: unknown | null;
  span_id: string | null;
  execution_time_s: Generated<number>;
  created_at: Generated<string>;
  delivery: unknown | null;
}

interface ApiKeys {
  id: string;
  user_id: string;
  key_hash: Buffer;
  masked_key: string;
  name: string;
  organization_id: string | null;
  workspace_id: string | null;
  allowed_scopes: string[] | null;
  allow_self_revoke: Generated<boolean>;
  created_at: Generated<string>;
  expires_at: string | null;
  last_used_at: string | null;
  issued_by_operator: Generated<boolean>;
}

interface ArtifactAliases {
  organization_id: string;
  artifact_id: string;
  alias: string;
  version_id: string;
}

interface ArtifactBlobs {
  organization_id: string;
  sha256: Buffer;
  size_bytes: number;
  upload_id: string;
  object_key: string;
  unused_since: Generated<string | null>;
}

interface ArtifactConversions {
  organization_id: string;
  id: string;
  source_digest: Buffer;
  source_sha256s: Buffer[];
  format: 'archive' | 'csv' | 'jsonl' | 'parquet';
  source: unknown;
  result_sha256: Buffer | null;
  status: Generated<'cancelled' | 'completed' | 'failed' | 'queued' | 'running'>;
  attempt: Generated<number>;
  checkpoint: unknown | null;
  error: string | null;
  cancel_requested_at: string | null;
  created_at: Generated<string>;
  started_at: string | null;
  completed_at: string | null;
}

interface ArtifactDownloads {
  organization_id: string;
  id: string;
  version_id: string;
  user_id: string;
  format: string;
  split: string | null;
  is_counted: Generated<boolean>;
  created_at: Generated<string>;
}

interface ArtifactFiles {
  organization_id: string;
  version_id: string;
  path: string;
  sha256: Buffer;
  size_bytes: number;
}

interface ArtifactPins {
  organization_id: string;
  version_id: string;
  holder_id: string;
}

interface ArtifactVersions {
  organization_id: string;
  id: string;
  artifact_id: string;
  version: string;
  precedence: string;
  is_prerelease: boolean;
  digest: Buffer;
  manifest: unknown;
  details: unknown;
  file_count: number;
  file_size_bytes: number;
  download_count: Generated<number>;
  created_by: string;
  created_at: Generated<string>;
  deleted_at: string | null;
}

interface Artifacts {
  organization_id: string;
  id: string;
  kind: 'capability' | 'dataset' | 'model' | 'task';
  name: string;
  is_public: Generated<boolean>;
  created_by: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  version_count: Generated<number>;
  latest_id: string | null;
  latest_version: string | null;
  latest_release: string | null;
  latest_created_at: string | null;
  summary: string | null;
  tags: string[] | null;
  license: string | null;
  task_categories: string[] | null;
  framework: string | null;
  size_category: string | null;
  difficulty: string | null;
  source: string | null;
  file_size_bytes: Generated<number>;
  search_text: Generated<string>;
}

interface AuditLog {
  organization_id: string;
  id: string;
  actor_id: string | null;
  api_key_id: string | null;
  action: string;
  resource: string;
  before: unknown | null;
  after: unknown | null;
  request_id: string | null;
  created_at: string;
}

interface CreditBalances {
  organization_id: string;
  amount: number;
}

interface CreditDeltas {
  organization_id: string;
  id: string;
  amount: number;
}

interface CreditReservations {
  organization_id: string;
  reference: string;
  amount: number;
  expires_at: string;
}

interface CreditTransactions {
  organization_id: string;
  id: string;
  kind: 'adjustment' | 'charge';
  reference: string;
  amount: number;
  actor_id: string | null;
  note: string | null;
  created_at: Generated<string>;
}

interface DeviceCodes {
  id: string;
  device_code_hash: Buffer;
  user_code: string;
  created_at: Generated<string>;
  expires_at: string;
  user_id: string | null;
  api_key_id: string | null;
  login_id: string | null;
  approved_at: string | null;
  used_at: string | null;
}

interface DroppedBlobs {
  id: string;
  dropped_at: Generated<string>;
}

interface EvaluationItemAttempts {
  organization_id: string;
  item_id: string;
  number: number;
  id: string;
  session_id: string | null;
  outcome: unknown;
}

interface EvaluationItems {
  organization_id: string;
  id: string;
  evaluation_id: string;
  position: number;
  source_position: number;
  task_name: string | null;
  task_version: string | null;
  row_index: number | null;
  sample: number;
  status: Generated<'agent_finished' | 'agent_running' | 'cancelled' | 'claiming' | 'failed' | 'infra_error' | 'passed' | 'provisioning' | 'queued' | 'timed_out' | 'verifying'>;
  job_attempt: Generated<number>;
  cancel_requested_at: string | null;
  attempt_id: string | null;
  attempt_number: Generated<number>;
  retry_count: Generated<number>;
  session_id: string | null;
  agent_sandbox_id: string | null;
  env_sandbox_id: string | null;
  passed: boolean | null;
  score: number | null;
  scores: Generated<unknown>;
  metrics: unknown | null;
  stop_reason: string | null;
  error: string | null;
  error_kind: 'agent' | 'infra' | 'limit' | 'verifier' | null;
  requested_resources: unknown | null;
  enforced_resources: unknown | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cache_read_input_tokens: Generated<number>;
  cache_creation_input_tokens: Generated<number>;
  cost_usd: Generated<number>;
  turn_count: Generated<number>;
  answer: string | null;
  verification: unknown | null;
  duration_ms: number | null;
  queued_at: Generated<string>;
  started_at: string | null;
  agent_started_at: string | null;
  agent_finished_at: string | null;
  completed_at: string | null;
  changed_files: unknown | null;
}

interface EvaluationRows {
  organization_id: string;
  evaluation_id: string;
  position: number;
  input: string;
  expected: string | null;
  system: string | null;
  files: unknown | null;
  columns: unknown | null;
  contaminated_by: unknown | null;
}

interface EvaluationTasks {
  organization_id: string;
  evaluation_id: string;
  position: number;
  task_name: string;
  task_version: string;
  owner_id: string;
  version_id: string;
  details: unknown;
  tags: Generated<string[]>;
  difficulty: string | null;
  contaminated_by: unknown | null;
}

interface EvaluationTexts {
  organization_id: string;
  evaluation_id: string;
  position: number;
  seq: number;
  grams: Buffer | null;
  text: string;
}

interface Evaluations {
  organization_id: string;
  id: string;
  workspace_id: string;
  project_id: string | null;
  created_by: string;
  name: string;
  model: string;
  tags: Generated<string[]>;
  concurrency: number;
  budget_usd: number | null;
  request: unknown;
  execution: unknown;
  skipped_members: Generated<unknown>;
  total_samples: number;
  status: Generated<'cancelled' | 'completed' | 'failed' | 'paused' | 'queued' | 'running'>;
  is_paused: Generated<boolean>;
  pause_reason: string | null;
  shown_status: Generated<string>;
  attempt: Generated<number>;
  checkpoint: unknown | null;
  error: string | null;
  stop_reason: string | null;
  cancel_requested_at: string | null;
  item_counts: unknown;
  score_sum: Generated<number>;
  scored_count: Generated<number>;
  cost_usd: Generated<number>;
  analytics_snapshot: unknown | null;
  counts_told_at: string | null;
  created_at: Generated<string>;
  started_at: string | null;
  completed_at: string | null;
  optimization_job_id: string | null;
  airt_finding_id: string | null;
  gate_check_id: string | null;
}

interface EventStreams {
  organization_id: string;
  id: string;
  last_seq: Generated<number>;
  watched_until: string | null;
  closed_at: string | null;
}

interface Events {
  organization_id: string;
  stream_id: string;
  seq: number;
  type: string;
  data: unknown;
  size_bytes: number;
  created_at: Generated<string>;
}

interface Exports {
  organization_id: string;
  id: string;
  workspace_id: string;
  created_by: string;
  is_limited: Generated<boolean>;
  project_id: string | null;
  query: string;
  max_rows: number;
  status: Generated<'cancelled' | 'completed' | 'failed' | 'queued' | 'running'>;
  attempt: Generated<number>;
  checkpoint: unknown | null;
  error: string | null;
  cancel_requested_at: string | null;
  rows_read: Generated<number>;
  object_key: string | null;
  file_size_bytes: Generated<number>;
  row_count: Generated<number>;
  expires_at: string | null;
  sweep_at: string | null;
  created_at: Generated<string>;
  started_at: string | null;
  completed_at: string | null;
}

interface GateChecks {
  organization_id: string;
  id: string;
  gate_id: string;
  workspace_id: string;
  created_by: string;
  capability: string | null;
  version: string | null;
  version_id: string | null;
  model: string;
  rules: unknown;
  settings: unknown;
  status: Generated<'cancelled' | 'completed' | 'failed' | 'queued' | 'running'>;
  attempt: Generated<number>;
  checkpoint: unknown | null;
  error: string | null;
  cancel_requested_at: string | null;
  verdict: 'failed' | 'inconclusive' | 'passed' | null;
  results: unknown | null;
  created_at: Generated<string>;
  started_at: string | null;
  completed_at: string | null;
}

interface Gates {
  organization_id: string;
  id: string;
  workspace_id: string;
  created_by: string;
  name: string;
  description: string | null;
  rules: unknown;
  settings: unknown;
  protects: Generated<string[]>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface IdempotencyKeys {
  user_id: string;
  request_hash: Buffer;
  body_hash: Buffer;
  call_id: string;
  created_at: Generated<string>;
  running_until: string;
  took_effect: Generated<boolean>;
  status: number | null;
  key_id: string | null;
  wrapped_key: Buffer | null;
  ciphertext: Buffer | null;
}

interface Identities {
  provider: 'password';
  subject: string;
  user_id: string;
  password_hash: string | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface InferenceCallParents {
  organization_id: string;
  trace_id: Buffer;
  span_id: Buffer;
  user_id: string;
}

interface InferenceCalls {
  organization_id: string;
  id: string;
  user_id: string;
  model: string;
  is_streamed: boolean;
  status: 'cancelled' | 'completed' | 'failed';
  error_type: string | null;
  is_estimated: boolean;
  session_id: string | null;
  trace_id: Buffer | null;
  span_id: Buffer | null;
  started_at: string;
  first_byte_ms: number | null;
  duration_ms: number;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation_input_tokens: number | null;
  cost_usd: number | null;
  credits: number | null;
  sandbox_id: string | null;
}

interface InferenceModels {
  organization_id: string;
  provider: string;
  name: string;
  input_price: number;
  output_price: number;
  cache_read_price: number;
  cache_creation_price: number;
  max_output_tokens: number;
}

interface InferenceProviders {
  organization_id: string;
  name: string;
  kind: 'anthropic' | 'google' | 'openai_compatible';
  base_url: string;
  timeout_seconds: number;
  key_id: string | null;
  wrapped_key: Buffer | null;
  ciphertext: Buffer | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface Invitations {
  organization_id: string;
  id: string;
  token_hash: Buffer;
  email_address: string;
  role: 'admin' | 'member' | 'owner';
  created_by: string;
  created_at: Generated<string>;
  expires_at: string;
  accepted_at: string | null;
  accepted_by: string | null;
}

interface LineageEdges {
  organization_id: string;
  child_id: string;
  parent_id: string;
  relation: string;
  split: Generated<string>;
  rows: number[] | null;
  created_at: Generated<string>;
}

interface LineageNodes {
  organization_id: string;
  id: string;
  kind: 'assessment' | 'capability' | 'dataset' | 'evaluation' | 'finding' | 'gate_check' | 'model' | 'optimization_job' | 'review' | 'session' | 'task' | 'training_job';
  workspace_id: string | null;
  name: string | null;
  version: string | null;
  owner_id: string | null;
  created_at: Generated<string>;
}

interface LoginAttempts {
  id: string;
  subject: string;
  address: string;
  attempted_at: Generated<string>;
}

interface Logins {
  id: string;
  user_id: string;
  created_at: Generated<string>;
  revoked_at: string | null;
}

interface Memberships {
  organization_id: string;
  id: string;
  user_id: string;
  role: 'admin' | 'member' | 'owner';
  created_at: Generated<string>;
  first_used_at: string | null;
}

interface ObjectStore {
  is_only: Generated<boolean>;
  id: string | null;
  host: string | null;
  data_dir: string | null;
  bucket: string | null;
  endpoint: string | null;
  created_at: Generated<string>;
}

interface ObjectUploadParts {
  upload_id: string;
  part_number: number;
  blob_id: string;
  size_bytes: number;
  md5: string;
  checksum: string | null;
  updated_at: Generated<string>;
}

interface ObjectUploads {
  id: string;
  key: string;
  headers: unknown;
  metadata: unknown;
  checksum_algorithm: string | null;
  checksum_type: 'COMPOSITE' | 'FULL_OBJECT' | null;
  created_at: Generated<string>;
}

interface OptimizationBatches {
  organization_id: string;
  job_id: string;
  iteration: number;
  proposal: number;
  purpose: 'child' | 'holdout' | 'merge' | 'parent' | 'validation';
  split: string;
  candidate_sha256: string;
  positions: number[];
  evaluation_id: string;
  is_inherited: boolean;
}

interface OptimizationCandidates {
  organization_id: string;
  job_id: string;
  index: number;
  iteration: number;
  proposal: number;
  found_by: 'merge' | 'reflection' | 'seed';
  parents: number[];
  texts: unknown;
  scores: number[];
  mean_score: number;
  objectives: unknown;
  is_best: boolean;
  metric_calls: number;
  holdout_score: number | null;
  created_at: Generated<string>;
}

interface OptimizationExamples {
  organization_id: string;
  job_id: string;
  split: 'holdout' | 'train' | 'validation';
  position: number;
  row_index: number | null;
  task_name: string | null;
  task_version: string | null;
  source: unknown;
}

interface OptimizationJobs {
  organization_id: string;
  id: string;
  workspace_id: string;
  project_id: string | null;
  created_by: string;
  name: string | null;
  model: string;
  target_kind: 'capability_agent' | 'capability_env';
  tags: Generated<string[]>;
  request: unknown;
  seed_candidate: unknown;
  train_size: number;
  val_size: number;
  holdout_size: number;
  warnings: Generated<string[]>;
  retry_of: string | null;
  status: Generated<'cancelled' | 'completed' | 'failed' | 'pending' | 'queued' | 'running'>;
  attempt: Generated<number>;
  checkpoint: unknown | null;
  error: string | null;
  cancel_requested_at: string | null;
  event_count: Generated<number>;
  running_ms: Generated<number>;
  iteration: Generated<number>;
  metric_calls: Generated<number>;
  best_index: number | null;
  frontier: Generated<number[]>;
  stop_reason: string | null;
  created_at: Generated<string>;
  started_at: string | null;
  completed_at: string | null;
}

interface OptimizationPromotions {
  organization_id: string;
  capability: string;
  version: string;
  job_id: string;
  candidate_index: number;
  created_by: string;
  created_at: Generated<string>;
}

interface OptimizationProposals {
  organization_id: string;
  job_id: string;
  iteration: number;
  proposal: number;
  status: 'accepted' | 'rejected';
  reason: string | null;
  found_by: 'merge' | 'reflection';
  parents: number[];
  candidate_index: number | null;
  components: string[];
  texts: unknown | null;
  minibatch: number[];
  parent_scores: number[] | null;
  child_scores: number[] | null;
  error: string | null;
  created_at: Generated<string>;
}

interface OptimizationReflections {
  organization_id: string;
  job_id: string;
  iteration: number;
  proposal: number;
  component: string;
  paid_by: string;
  prompt: string;
  response: string | null;
  error: string | null;
  session_id: string | null;
  cost_usd: Generated<number>;
  created_at: Generated<string>;
}

interface Organizations {
  id: string;
  key: string;
  name: string;
  description: string | null;
  is_active: Generated<boolean>;
  max_members: number | null;
  max_sandbox_runtime_seconds: number | null;
  default_sandbox_runtime_seconds: number | null;
  max_concurrent_sandboxes: number | null;
  trace_retention_days: Generated<number>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface Projects {
  organization_id: string;
  id: string;
  workspace_id: string;
  key: string;
  name: string;
  description: string | null;
  is_default: Generated<boolean>;
  created_by: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface PublicCatalogue {
  kind: 'capability' | 'dataset' | 'model' | 'task' | 'task_set';
  organization_id: string;
  id: string;
}

interface RateLimits {
  subject: string;
  class: 'ingest' | 'read' | 'write';
  step_started_at: string;
  used: number[];
  granted: number;
}

interface RefreshTokens {
  token_hash: Buffer;
  login_id: string;
  expires_at: string;
  used_at: string | null;
}

interface RegistryUploads {
  organization_id: string;
  id: string;
  sweep_at: string;
  created_at: Generated<string>;
  created_by: string | null;
  is_closed: Generated<boolean>;
  kind: 'capability' | 'dataset' | 'model' | 'task' | null;
  name: string | null;
  precedence: string | null;
  manifest: unknown | null;
  files: unknown | null;
  expires_at: string | null;
}

interface RuntimeCapabilities {
  organization_id: string;
  id: string;
  runtime_id: string;
  owner_id: string;
  artifact_id: string;
  version_id: string;
  capability_name: string;
  version: string;
  enabled: Generated<boolean>;
  flags: Generated<unknown>;
  created_by: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface Runtimes {
  organization_id: string;
  id: string;
  workspace_id: string;
  key: string;
  name: string;
  description: string | null;
  project_id: string | null;
  created_by: string;
  requested_runtime_limit_seconds: number | null;
  config: unknown;
  config_digest: string;
  given_limits: Generated<string[]>;
  status: Generated<'idle' | 'paused' | 'running'>;
  move: 'ending' | 'pausing' | 'resuming' | 'starting' | null;
  sandbox_id: string | null;
  host_id: string | null;
  disk_id: string | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  capabilities_changed: Generated<number>;
  capabilities_shown: Generated<number>;
  origin: Generated<'eval' | 'optimization' | 'training' | 'user' | 'worker' | 'world'>;
  leased_until: string | null;
  lease_id: string | null;
  disk_bytes: Generated<number>;
  disk_measured_at: string | null;
  recorded_session_id: string | null;
  callable_model: string | null;
}

interface SandboxEnvironments {
  organization_id: string;
  sandbox_id: string;
  key_id: string;
  wrapped_key: Buffer;
  ciphertext: Buffer;
}

interface SandboxHosts {
  id: string;
  url: string;
  holder_id: string;
  lease_expires_at: string;
  providers: Generated<unknown>;
  created_at: Generated<string>;
}

interface SandboxLog {
  organization_id: string;
  sandbox_id: string;
  number: number;
  at: string;
  kind: 'egress' | 'lifecycle';
  message: string;
  details: Generated<unknown>;
}

interface SandboxSpending {
  organization_id: string;
  sandbox_id: string;
  cost_usd: number;
}

interface Sandboxes {
  organization_id: string;
  id: string;
  runtime_id: string;
  workspace_id: string;
  project_id: string | null;
  created_by: string;
  host_id: string;
  provider: string;
  provider_sandbox_id: string;
  supports_pause: boolean;
  config_digest: string;
  limits: Generated<unknown>;
  state: 'killed' | 'paused' | 'running' | 'starting';
  pause_reason: 'insufficient_credits' | 'member_limit_exceeded' | 'timeout' | 'user' | null;
  created_at: Generated<string>;
  ended_at: string | null;
  end_reason: string | null;
  period: Generated<number>;
  period_started_at: string | null;
  ended_periods_ms: Generated<number>;
  expires_at: string | null;
  requested_runtime_limit_seconds: number | null;
  requested_runtime_limit_source_level: string | null;
  configured_runtime_limit_seconds: number | null;
  configured_runtime_limit_source_level: string | null;
  actual_runtime_limit_seconds: number | null;
  runtime_limited_by_credits: Generated<boolean>;
  billed_credits: Generated<number>;
  origin: Generated<'eval' | 'optimization' | 'training' | 'user' | 'worker' | 'world'>;
  platform_access: Generated<'full' | 'inference' | 'none'>;
  spend_limit_usd: number | null;
}

interface SchemaMigrations {
  version: number;
  name: string;
  checksum: string;
  applied_at: Generated<string>;
  oldest_program: number | null;
}

interface SenderParts {
  organization_id: string;
  workspace_id: string;
  trace_id: Buffer;
  session_id: string | null;
  project_id: string | null;
  session_was_known: boolean;
  span_count: number;
  error_count: number;
  span_types: number;
  models: string[];
  first_start: string;
  last_start: string;
  last_end: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cost_usd: number;
  unpriced_count: number;
  root_has_parent: boolean;
  root_start: string;
  root_span_id: Buffer;
  root_name: string;
  root_service_name: string | null;
  user_id: string;
  first_received_at: string;
}

interface ServedModels {
  organization_id: string;
  model: string;
  version: string;
  version_id: string;
  created_by: string;
  created_at: Generated<string>;
}

interface SessionCompactions {
  organization_id: string;
  session_id: string;
  era: number;
  up_to_seq: number;
  summary_seq: number;
  created_at: Generated<string>;
}

interface SessionDeletions {
  organization_id: string;
  workspace_id: string;
  session_id: string;
  changed_in: Generated<string>;
  deleted_at: Generated<string>;
  user_id: string | null;
}

interface SessionGroups {
  organization_id: string;
  id: string;
  workspace_id: string;
  kind: 'evaluation_item' | 'worker_run' | 'workflow';
  status: 'cancelled' | 'completed' | 'failed' | 'running' | null;
  title: string | null;
  worker: string | null;
  capability: string | null;
  capability_version: string | null;
  evaluation_id: string | null;
  evaluation_item_id: string | null;
  evaluation_item_attempt_id: string | null;
  runtime_id: string | null;
  started_at: string | null;
  completed_at: string | null;
  created_by: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  changed_in: Generated<string>;
  released_at: string | null;
}

interface SessionMessages {
  organization_id: string;
  session_id: string;
  seq: number;
  workspace_id: string;
  id: string;
  parent_id: string | null;
  role: 'assistant' | 'system' | 'tool' | 'user';
  content: string;
  tool_calls: unknown | null;
  tool_call_count: Generated<number>;
  tool_call_id: string | null;
  model: string | null;
  metadata: unknown | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation_input_tokens: number | null;
  cost_usd: number | null;
  search_text: string;
  rewind_count: Generated<number>;
  size_bytes: Generated<number>;
  created_at: Generated<string>;
}

interface SessionPrompts {
  organization_id: string;
  session_id: string;
  from_seq: number;
  content: string;
}

interface SessionRecordings {
  organization_id: string;
  session_id: string;
  root_session_id: string;
  last_seq: number;
  rewind_count: number;
  message_count: number;
  digest: Buffer;
  prompt_digest: Buffer;
  context_digest: Buffer;
  interrupted_seq: number | null;
  updated_at: Generated<string>;
}

interface Sessions {
  organization_id: string;
  id: string;
  workspace_id: string;
  user_id: string;
  model: string;
  agent: string | null;
  title: string | null;
  origin: 'eval' | 'optimization' | 'training' | 'user' | 'worker' | 'world';
  visibility: 'private' | 'workspace';
  labels: Generated<unknown>;
  group_id: string | null;
  project_id: string | null;
  runtime_id: string | null;
  archived_at: string | null;
  frozen_at: string | null;
  frozen_by: 'evaluation' | 'user' | null;
  claimed_message_count: number | null;
  last_seq: Generated<number>;
  compacted_up_to: Generated<number>;
  compaction_count: Generated<number>;
  rewind_count: Generated<number>;
  last_message_at: string | null;
  preview_text: string | null;
  last_generation_input_tokens: number | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cache_read_input_tokens: Generated<number>;
  cache_creation_input_tokens: Generated<number>;
  tool_call_count: Generated<number>;
  cost_usd: Generated<number>;
  unpriced_count: Generated<number>;
  compacted_input_tokens: Generated<number>;
  compacted_output_tokens: Generated<number>;
  compacted_cache_read_input_tokens: Generated<number>;
  compacted_cache_creation_input_tokens: Generated<number>;
  compacted_tool_call_count: Generated<number>;
  compacted_cost_usd: Generated<number>;
  compacted_unpriced_count: Generated<number>;
  search_text: Generated<string>;
  tools: unknown | null;
  imported: unknown | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  changed_in: Generated<string>;
}

interface SpanBytes {
  organization_id: string;
  day: string;
  part: number;
  bytes: number;
}

interface SpanSources {
  organization_id: string;
  id: string;
  service_name: string | null;
  resource: unknown;
  scope: unknown;
  last_used_at: Generated<string>;
}

interface SpanUsage {
  organization_id: string;
  user_id: string;
  start_time: string;
  trace_id: Buffer;
  span_id: Buffer;
  inference_call_id: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
  parent_span_id: Buffer | null;
}

interface Spans {
  organization_id: string;
  trace_id: Buffer;
  start_time: string;
  span_id: Buffer;
  start_ns: number;
  end_time: string;
  end_ns: number;
  parent_span_id: Buffer | null;
  workspace_id: string;
  project_id: string | null;
  session_id: string | null;
  user_id: string;
  source_id: string;
  name: string;
  kind: number;
  status_code: number;
  status_message: string | null;
  trace_state: string | null;
  flags: number;
  attributes: string;
  events: string | null;
  links: string | null;
  dropped_attributes_count: number;
  dropped_events_count: number;
  dropped_links_count: number;
  span_type: string;
  operation: string | null;
  provider: string | null;
  model: string | null;
  agent_name: string | null;
  tool_name: string | null;
  conversation_id: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation_input_tokens: number | null;
  cost_usd: number | null;
  search_text: string;
  size_bytes: number;
  received_at: Generated<string>;
  inference_call_id: string | null;
  assessment_id: string | null;
}

interface StorageQuotas {
  kind: 'objects' | 'registry' | 'runtimes' | 'spans';
  bytes: number | null;
}

interface StoredBytes {
  organization_id: string;
  kind: 'objects' | 'registry';
  part: number;
  bytes: number;
}

interface StoredObjects {
  key: string;
  blob_ids: string[];
  blob_sizes: number[];
  size_bytes: number;
  etag: string;
  headers: unknown;
  metadata: unknown;
  checksum_algorithm: string | null;
  checksum_type: 'COMPOSITE' | 'FULL_OBJECT' | null;
  checksum: string | null;
  updated_at: Generated<string>;
}

interface TaskSetMembers {
  organization_id: string;
  task_set_id: string;
  position: number;
  task_name: string;
  owner_key: string | null;
  local_name: string;
  task_version: string | null;
  precedence: string | null;
  notes: string | null;
}

interface TaskSets {
  organization_id: string;
  id: string;
  name: string;
  description: string | null;
  source: string | null;
  tags: string[] | null;
  is_public: Generated<boolean>;
  member_count: number;
  created_by: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  search_words: string;
}

interface TraceParts {
  organization_id: string;
  workspace_id: string;
  trace_id: Buffer;
  session_id: string | null;
  project_id: string | null;
  session_was_known: boolean;
  span_count: number;
  error_count: number;
  span_types: number;
  models: string[];
  first_start: string;
  last_start: string;
  last_end: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cost_usd: number;
  unpriced_count: number;
  root_has_parent: boolean;
  root_start: string;
  root_span_id: Buffer;
  root_name: string;
  root_service_name: string | null;
}

interface TrainingCheckpoints {
  organization_id: string;
  job_id: string;
  step: number;
  attempt: number;
  files: unknown;
  size_bytes: number;
  digest: string;
  metrics: Generated<unknown>;
  is_servable: boolean;
  created_at: Generated<string>;
  completed_at: string | null;
}

interface TrainingJobs {
  organization_id: string;
  id: string;
  workspace_id: string;
  project_id: string | null;
  created_by: string;
  name: string | null;
  backend: 'hosted_a' | 'hosted_b';
  trainer_type: 'rl' | 'sft';
  model: string;
  tags: Generated<string[]>;
  request: unknown;
  retry_of: string | null;
  status: Generated<'cancelled' | 'completed' | 'failed' | 'queued' | 'running'>;
  attempt: Generated<number>;
  worker: string | null;
  worker_key_id: string | null;
  lease_expires_at: string | null;
  lost_workers: Generated<number>;
  progress_seq: Generated<number>;
  reported_at: string | null;
  trainer_ms: Generated<number>;
  step: Generated<number>;
  num_tokens: Generated<number>;
  start_report: unknown | null;
  summary: Generated<unknown>;
  error: string | null;
  cancel_requested_at: string | null;
  created_at: Generated<string>;
  started_at: string | null;
  completed_at: string | null;
}

interface TrainingLogs {
  organization_id: string;
  job_id: string;
  id: string;
  level: 'debug' | 'error' | 'info' | 'warning';
  message: string;
  data: unknown | null;
  created_at: string;
}

interface TrainingMetrics {
  organization_id: string;
  job_id: string;
  name: string;
  step: number;
  attempt: number;
  value: number;
}

interface TrainingPublications {
  organization_id: string;
  job_id: string;
  model: string;
  version: string;
  step: number;
  is_final: boolean;
  created_by: string;
  created_at: Generated<string>;
  published_at: string | null;
}

interface TrainingWorkers {
  organization_id: string;
  workspace_id: string;
  name: string;
  engines: string[];
  resources: unknown;
  seen_at: string;
}

interface UsageEvents {
  organization_id: string;
  source: string;
  external_id: string;
  yields_to: string | null;
  user_id: string | null;
  kind: string;
  item: string;
  occurred_at: string;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cache_read_input_tokens: Generated<number>;
  cache_creation_input_tokens: Generated<number>;
  seconds: Generated<number>;
  cost_usd: Generated<number>;
  credits: Generated<number>;
}

interface UserSecrets {
  id: string;
  user_id: string;
  name: string;
  masked_value: string;
  key_id: string;
  wrapped_key: Buffer;
  ciphertext: Buffer;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface Users {
  id: string;
  username: string;
  email_address: string;
  first_name: string | null;
  last_name: string | null;
  email_opt_in: Generated<boolean>;
  onboarding_completed_at: string | null;
  is_platform_admin: Generated<boolean>;
  suspended_at: string | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

interface WorkspaceMembers {
  organization_id: string;
  workspace_id: string;
  user_id: string;
  role: 'admin' | 'contributor' | 'reader';
  created_at: Generated<string>;
}

interface Workspaces {
  organization_id: string;
  id: string;
  key: string;
  name: string;
  description: string | null;
  is_default: Generated<boolean>;
  is_restricted: Generated<boolean>;
  created_by: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  record_content: Generated<boolean>;
}

export interface Database {
  abandoned_prefixes: AbandonedPrefixes;
  account_audit_log: AccountAuditLog;
  airt_assessments: AirtAssessments;
  airt_calls: AirtCalls;
  airt_finding_reviews: AirtFindingReviews;
  airt_findings: AirtFindings;
  airt_regression_tasks: AirtRegressionTasks;
  airt_remediation_evidence: AirtRemediationEvidence;
  airt_reports: AirtReports;
  airt_runs: AirtRuns;
  airt_trials: AirtTrials;
  api_keys: ApiKeys;
  artifact_aliases: ArtifactAliases;
  artifact_blobs: ArtifactBlobs;
  artifact_conversions: ArtifactConversions;
  artifact_downloads: ArtifactDownloads;
  artifact_files: ArtifactFiles;
  artifact_pins: ArtifactPins;
  artifact_versions: ArtifactVersions;
  artifacts: Artifacts;
  audit_log: AuditLog;
  credit_balances: CreditBalances;
  credit_deltas: CreditDeltas;
  credit_reservations: CreditReservations;
  credit_transactions: CreditTransactions;
  device_codes: DeviceCodes;
  dropped_blobs: DroppedBlobs;
  evaluation_item_attempts: EvaluationItemAttempts;
  evaluation_items: EvaluationItems;
  evaluation_rows: EvaluationRows;
  evaluation_tasks: EvaluationTasks;
  evaluation_texts: EvaluationTexts;
  evaluations: Evaluations;
  event_streams: EventStreams;
  events: Events;
  exports: Exports;
  gate_checks: GateChecks;
  gates: Gates;
  idempotency_keys: IdempotencyKeys;
  identities: Identities;
  inference_call_parents: InferenceCallParents;
  inference_calls: InferenceCalls;
  inference_models: InferenceModels;
  inference_providers: InferenceProviders;
  invitations: Invitations;
  lineage_edges: LineageEdges;
  lineage_nodes: LineageNodes;
  login_attempts: LoginAttempts;
  logins: Logins;
  memberships: Memberships;
  object_store: ObjectStore;
  object_upload_parts: ObjectUploadParts;
  object_uploads: ObjectUploads;
  optimization_batches: OptimizationBatches;
  optimization_candidates: OptimizationCandidates;
  optimization_examples: OptimizationExamples;
  optimization_jobs: OptimizationJobs;
  optimization_promotions: OptimizationPromotions;
  optimization_proposals: OptimizationProposals;
  optimization_reflections: OptimizationReflections;
  organizations: Organizations;
  projects: Projects;
  public_catalogue: PublicCatalogue;
  rate_limits: RateLimits;
  refresh_tokens: RefreshTokens;
  registry_uploads: RegistryUploads;
  runtime_capabilities: RuntimeCapabilities;
  runtimes: Runtimes;
  sandbox_environments: SandboxEnvironments;
  sandbox_hosts: SandboxHosts;
  sandbox_log: SandboxLog;
  sandbox_spending: SandboxSpending;
  sandboxes: Sandboxes;
  schema_migrations: SchemaMigrations;
  sender_parts: SenderParts;
  served_models: ServedModels;
  session_compactions: SessionCompactions;
  session_deletions: SessionDeletions;
  session_groups: SessionGroups;
  session_messages: SessionMessages;
  session_prompts: SessionPrompts;
  session_recordings: SessionRecordings;
  sessions: Sessions;
  span_bytes: SpanBytes;
  span_sources: SpanSources;
  span_usage: SpanUsage;
  spans: Spans;
  storage_quotas: StorageQuotas;
  stored_bytes: StoredBytes;
  stored_objects: StoredObjects;
  task_set_members: TaskSetMembers;
  task_sets: TaskSets;
  trace_parts: TraceParts;
  training_checkpoints: TrainingCheckpoints;
  training_jobs: TrainingJobs;
  training_logs: TrainingLogs;
  training_metrics: TrainingMetrics;
  training_publications: TrainingPublications;
  training_workers: TrainingWorkers;
  usage_events: UsageEvents;
  user_secrets: UserSecrets;
  users: Users;
  workspace_members: WorkspaceMembers;
  workspaces: Workspaces;
}
