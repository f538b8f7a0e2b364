/** Base of all resources, and types of their places in the tree of organizations. */
import type { Client } from './client.ts';

/** The slug of an organization, as in its URL. */
export interface InOrganization {
  readonly org: string;
}

/** The slugs of an organization and of one of its workspaces. */
export interface InWorkspace extends InOrganization {
  readonly workspace: string;
}

/** A session: by its id, or by a unique prefix of it. */
export interface OneSession extends InWorkspace {
  readonly session_id: string;
}

/** A trace: by its id, 32 hexadecimal digits. */
export interface OneTrace extends InWorkspace {
  readonly trace_id: string;
}

/** A span: by its id, 16 hexadecimal digits. */
export interface OneSpan extends OneTrace {
  readonly span_id: string;
}

/** An export: by its id. */
export interface OneExport extends InWorkspace {
  readonly export_id: string;
}

/** An evaluation: by its id. */
export interface OneEvaluation extends InWorkspace {
  readonly evaluation_id: string;
}

/** A sample of an evaluation: by its id. */
export interface OneItem extends OneEvaluation {
  readonly item_id: string;
}

/** An optimization job: by its id. */
export interface OneOptimizationJob extends InWorkspace {
  readonly job_id: string;
}

/** A training job: by its id. */
export interface OneTrainingJob extends InWorkspace {
  readonly job_id: string;
}

/** A capability as a workspace sees it: `name`, or `org/name` of a public one. */
export interface OneCapability extends InWorkspace {
  readonly capability: string;
}

/** A gate: by its id or its name. */
export interface OneGate extends InWorkspace {
  readonly gate: string;
}

/** A check of a gate: by its id. */
export interface OneGateCheck extends OneGate {
  readonly check_id: string;
}

/** A red-team assessment: by its id. */
export interface OneAssessment extends InWorkspace {
  readonly assessment_id: string;
}

/** A report of an assessment: by its id. */
export interface OneReport extends OneAssessment {
  readonly report_id: string;
}

/** A finding of the red team: by its id. */
export interface OneFinding extends InWorkspace {
  readonly finding_id: string;
}

/** A project with findings: by its key or its id. */
export interface OneRedTeamProject extends InWorkspace {
  readonly project: string;
}

/** A transform of prompts: by its name. */
export interface OneTransform extends InWorkspace {
  readonly name: string;
}

/** A runtime: by its key or its id. */
export interface OneRuntime extends InWorkspace {
  readonly runtime: string;
}

/** A port exposed by a runtime, and a path there: sent unchanged, with its query. */
export interface OnePort extends OneRuntime {
  readonly port: number;
  readonly path?: string;
}

/** A sandbox: by its id. */
export interface OneSandbox extends InOrganization {
  readonly sandbox_id: string;
}

/** An artifact: by its name, or as `org/name` for a public one of another organization. */
export interface NamedArtifact extends InOrganization {
  readonly name: string;
}

export interface OneVersion extends NamedArtifact {
  readonly version: string;
}

export interface OneFile extends OneVersion {
  /** File path as listed; may contain slashes. */
  readonly path: string;
}

export class Resource {
  protected readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }
}
