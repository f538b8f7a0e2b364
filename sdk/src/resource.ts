/** What every resource is built on, and where in the tree of organizations its things are. */
import type { Client } from './client.ts';

/** The slug of an organization, as in its URL. */
export interface InOrganization {
  readonly org: string;
}

/** The slugs of an organization and of one of its workspaces. */
export interface InWorkspace extends InOrganization {
  readonly workspace: string;
}

export class Resource {
  protected readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }
}
