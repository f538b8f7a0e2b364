/** Finds the agent of an evaluation: the built-in one, or one of a capability, with the prompt that it will have. */
import { toSystemPrompt } from '../../platform/agent/capability-prompt.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { type ChosenCapability, getCapability } from '../../registry/service.ts';
import type { CommandAgent } from '../stored-request.ts';
import { BASIC, readCapabilityTexts, toAgentPrompt } from './capability-texts.ts';
import type { EvaluationRequest } from './schema.ts';

export interface FoundAgent {
  readonly name: string;
  readonly systemPrompt: string;
  readonly capability: PinnedCapability | null;
  readonly program?: CommandAgent;
}

export type PinnedCapability = Pick<ChosenCapability, 'name' | 'version' | 'ownerId' | 'versionId'>;

/** The `agent` of sessions that record a program. */
const PROGRAM_AGENT = 'command';

/** @throws {ApiError} `validation_error` for an unknown capability, version or agent */
export async function findAgent(
  { db, storage }: { readonly db: Db; readonly storage: ObjectStorage },
  scope: WorkspaceScope,
  { agent, capability }: Pick<EvaluationRequest, 'agent' | 'capability'>,
): Promise<FoundAgent> {
  const isProgram = typeof agent === 'object' && agent !== null;
  const name = isProgram ? BASIC : (agent ?? BASIC);
  const found = await findNamed({ db, storage }, scope, name, capability);
  if (!isProgram) return found;
  const { command, env, setup } = agent;
  return {
    ...found,
    name: PROGRAM_AGENT,
    systemPrompt: '',
    program: { command, env: env ?? {}, setup: setup ?? null },
  };
}

async function findNamed(
  { db, storage }: { readonly db: Db; readonly storage: ObjectStorage },
  scope: WorkspaceScope,
  name: string,
  capability: EvaluationRequest['capability'],
): Promise<FoundAgent> {
  if (!capability) {
    if (name === BASIC)
      return { name, systemPrompt: toSystemPrompt({ skills: [], capabilityFolder: '' }), capability: null };
    throw invalidValue(
      ['body', 'agent'],
      `"${name}" is not known; give the capability that has it, or leave it out for the built-in agent`,
    );
  }
  const chosen = await getCapability(db, scope, capability.name, capability.version).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
      throw invalidValue(['body', 'capability'], error.message);
    },
  );
  const texts = await readCapabilityTexts({ db, storage }, chosen);
  if (!texts.agents.has(name) && name !== BASIC) {
    const known = [...texts.agents.keys()].map((one) => `"${one}"`).join(', ') || 'none';
    throw invalidValue(
      ['body', 'agent'],
      `"${name}" is not an agent of ${chosen.name}@${chosen.version}; it has ${known}`,
    );
  }
  const systemPrompt = toAgentPrompt(texts, name, `/capabilities/${chosen.name}`);
  const { ownerId, versionId, version } = chosen;
  return { name, systemPrompt, capability: { name: chosen.name, version, ownerId, versionId } };
}
