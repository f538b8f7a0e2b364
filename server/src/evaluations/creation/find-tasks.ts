/** Resolves the tasks of an evaluation, and refuses those that cannot run here. */
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Issue, invalidValue, invalidValues } from '../../platform/errors.ts';
import { type FoundTask, findTasks, parseReference, type Reference } from '../../registry/service.ts';
import { RuntimeConfig } from '../../runtimes/service.ts';
import { findSetMembers, type SetMember } from '../../task-sets/service.ts';
import type { SkippedMemberOf } from './schema.ts';

export interface FoundTasks {
  readonly tasks: readonly FoundTask[];
  readonly skipped: readonly SkippedMemberOf[];
}

/** @throws {ApiError} `validation_error` that names every task which does not resolve or cannot run */
export async function findNamedTasks(
  db: Db,
  scope: WorkspaceScope,
  names: readonly string[],
  loc: readonly string[] = ['body', 'task_names'],
): Promise<FoundTasks> {
  const issues: Issue[] = [];
  const refuse = (index: number, msg: string) =>
    issues.push({ loc: [...loc, index], msg, type: 'invalid_value' });
  const parsed = names.map(parseReference);
  const references = parsed.flatMap((reference) => reference ?? []);
  const found = (await findTasks(db, scope, references)).values();
  const tasks: FoundTask[] = [];
  for (const [index, name] of names.entries()) {
    const task = parsed[index] && found.next().value;
    const problem = !task ? `"${name}" is not the name of a task` : findProblem(name, task);
    if (problem !== undefined) refuse(index, problem);
    else tasks.push(task as FoundTask);
  }
  if (issues.length > 0) throw invalidValues(issues);
  return { tasks, skipped: [] };
}

/** Members that do not resolve are listed as skipped. A member that resolves and cannot run here is refused. */
export async function findSetTasks(db: Db, scope: WorkspaceScope, set: string): Promise<FoundTasks> {
  const loc = ['body', 'task_set'];
  const members = await findSetMembers(db, scope, set);
  if (!members) throw invalidValue(loc, `"${set}" is not a task set that you can see`);
  const found = await findTasks(db, scope, members.map(toReference));
  const tasks: FoundTask[] = [];
  const skipped: SkippedMemberOf[] = [];
  for (const [index, { taskName, taskVersion }] of members.entries()) {
    const task = found[index];
    if (typeof task !== 'object') {
      skipped.push({ task_name: taskName, task_version: taskVersion, reason: task ?? 'not_found' });
      continue;
    }
    const problem = findProblem(taskName, task);
    if (problem !== undefined) throw invalidValue(loc, problem);
    tasks.push(task);
  }
  if (tasks.length === 0) throw invalidValue(loc, `"${set}" has no member that resolves`);
  return { tasks, skipped };
}

const toReference = ({ reference }: SetMember): Reference => reference;

/** @returns why the task cannot be evaluated here, and what to do */
function findProblem(name: string, task: FoundTask | string): string | undefined {
  if (task === 'not_found') return `"${name}" is not a task that you can see`;
  if (typeof task === 'string') return `"${name}" has no such version`;
  const { environment, template_variables } = task.details;
  const { image, build, network } = environment;
  if (image !== null || build !== null)
    return `"${name}" needs ${image === null ? 'an image that is built' : `the image "${image}"`}, and images are not offered yet; use environment.setup`;
  if (network.mode === 'open')
    return `"${name}" needs an open network, which sandboxes do not have; list its hosts in environment.network.allowlist`;
  if (template_variables.length > 0)
    return `"${name}" needs a service ({{${template_variables[0]}}}), and services are not offered yet`;
  const config = RuntimeConfig.safeParse({ sandbox: { egress_allow: network.allowlist } });
  if (config.success) return undefined;
  return `"${name}" has a network.allowlist that no sandbox can have: ${config.error.issues[0]?.message ?? ''}`;
}
