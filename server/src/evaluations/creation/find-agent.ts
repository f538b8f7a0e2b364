/** Finds the agent of an evaluation: the built-in one, or one of a capability, with the prompt that it will have. */
import { text } from 'node:stream/consumers';
import { parseAgentFile, toSystemPrompt } from '../../platform/agent/capability-prompt.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { getCapability, readFiles } from '../../registry/service.ts';
import type { EvaluationRequest } from './schema.ts';

export interface FoundAgent {
  readonly name: string;
  readonly systemPrompt: string;
  readonly capability: { readonly name: string; readonly version: string } | null;
}

const BASIC = 'basic';
const MAX_FILE_BYTES = 256 * 1024;
const AGENT_FILE = /^agents\/([^/]+)\.md$/;
const SKILL_FILE = /^skills\/[^/]+\/SKILL\.md$/;

/** @throws {ApiError} `validation_error` for an unknown capability, version or agent */
export async function findAgent(
  { db, storage }: { readonly db: Db; readonly storage: ObjectStorage },
  scope: WorkspaceScope,
  { agent, capability }: Pick<EvaluationRequest, 'agent' | 'capability'>,
): Promise<FoundAgent> {
  const name = agent ?? BASIC;
  if (typeof name !== 'string')
    throw invalidValue(
      ['body', 'agent'],
      'programs as agents are not offered yet; name an agent of the capability',
    );
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
  const agents = new Map<string, string>();
  const skills: { path: string; text: string }[] = [];
  for await (const { path, sizeBytes, content } of readFiles(db, storage, chosen)) {
    const agentName = AGENT_FILE.exec(path)?.[1];
    if ((agentName === undefined && !SKILL_FILE.test(path)) || sizeBytes > MAX_FILE_BYTES) {
      content.destroy();
      continue;
    }
    const file = await text(content);
    if (agentName === undefined) skills.push({ path, text: file });
    else agents.set(parseAgentFile(file).name ?? agentName, file);
  }
  const file = agents.get(name);
  if (file === undefined && name !== BASIC) {
    const known = [...agents.keys()].map((one) => `"${one}"`).join(', ') || 'none';
    throw invalidValue(
      ['body', 'agent'],
      `"${name}" is not an agent of ${chosen.name}@${chosen.version}; it has ${known}`,
    );
  }
  const capabilityFolder = `/capabilities/${chosen.name}`;
  const systemPrompt = toSystemPrompt({
    ...(file !== undefined && { agent: file }),
    skills,
    capabilityFolder,
  });
  return { name, systemPrompt, capability: { name: chosen.name, version: chosen.version } };
}
