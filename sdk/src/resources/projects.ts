/** The projects of a workspace. */
import type { Project, ProjectCreateRequest, ProjectUpdateRequest } from '../models.gen.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

interface OneProject extends InWorkspace {
  /** Project key. */
  readonly project: string;
}

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const created = await drydock.projects.create(where, { name: 'Maze Runner' });
 * const project = { ...where, project: created.key };
 * await drydock.projects.update(project, { description: 'Finds its way out' });
 * console.log((await drydock.projects.get(project)).description); // → Finds its way out
 * await drydock.projects.delete(project);
 * ```
 */
export class Projects extends Resource {
  /** Lists all projects of the workspace. */
  list(where: InWorkspace, options?: CallOptions): List<Project[]> {
    return this.client.list('listProjects', { path: where }, options);
  }

  /** Creates a project; its key is derived from the name by default. */
  create(where: InWorkspace, request: ProjectCreateRequest, options?: CallOptions): Promise<Project> {
    return this.client.call('createProject', { path: where, body: request }, options);
  }

  /** Returns one project, by its key. */
  get(where: OneProject, options?: CallOptions): Promise<Project> {
    return this.client.call('getProject', { path: where }, options);
  }

  /** Changes the given fields. */
  update(where: OneProject, changes: ProjectUpdateRequest, options?: CallOptions): Promise<Project> {
    return this.client.call('updateProject', { path: where, body: changes }, options);
  }

  /** Deletes a project. */
  delete(where: OneProject, options?: CallOptions): Promise<void> {
    return this.client.call('deleteProject', { path: where }, options);
  }
}
