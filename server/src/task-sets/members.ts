/** Normalizes the members of a task set, and refuses duplicates. */
import { type Issue, invalidValues } from '../platform/errors.ts';
import { parsePlace, parseReference, precedenceOf } from '../registry/service.ts';
import type { MemberRequest } from './schema.ts';

export interface Member {
  /** Name as given, without the version. */
  readonly task_name: string;
  /** Null for the organization of the set. */
  readonly owner_key: string | null;
  readonly local_name: string;
  readonly task_version: string | null;
  readonly precedence: string | null;
  readonly notes: string | null;
}

/** @param organizationKey key of the organization of the set */
export function toMembers(given: readonly MemberRequest[], organizationKey: string): Member[] {
  const members = given.map((member) => toMember(member, organizationKey));
  refuseRepetitions(members);
  return members;
}

export function toMember(given: MemberRequest, organizationKey: string): Member {
  const { task_name, task_version = null, notes = null } = typeof given === 'string' ? split(given) : given;
  const place = parsePlace(task_name);
  if (!place) throw new Error(`"${task_name}" names no task`);
  const { owner = organizationKey, name } = place;
  return {
    task_name,
    owner_key: owner === organizationKey ? null : owner,
    local_name: name,
    task_version,
    precedence: task_version === null ? null : precedenceOf(task_version),
    notes,
  };
}

function split(reference: string): Exclude<MemberRequest, string> {
  const version = parseReference(reference)?.version;
  const task_name = version === undefined ? reference : reference.slice(0, -version.length - 1);
  return { task_name, task_version: version };
}

const MAX_NAMED = 100;

function refuseRepetitions(members: readonly Member[]): void {
  const places = new Map<string, number>();
  const issues: Issue[] = [];
  for (const [index, { owner_key, local_name, precedence }] of members.entries()) {
    const meaning = `${owner_key ?? ''}/${local_name}@${precedence ?? ''}`;
    const first = places.get(meaning);
    if (first === undefined) places.set(meaning, index);
    else if (issues.length < MAX_NAMED) {
      const msg = `is the same task and version as member ${first}; leave one of them out`;
      issues.push({ loc: ['body', 'members', index], msg, type: 'duplicate' });
    }
  }
  const count = members.length - places.size;
  if (count > 0) throw invalidValues(issues, count);
}
