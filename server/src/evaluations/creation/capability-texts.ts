/** Reads the texts of a published capability that make up the prompt of its agents. */
import { text } from 'node:stream/consumers';
import type { CapabilityTexts } from '../../platform/agent/capability-components.ts';
import {
  type CapabilityFile,
  parseAgentFile,
  toSystemPrompt,
} from '../../platform/agent/capability-prompt.ts';
import type { Db } from '../../platform/db/connect.ts';
import { parseManifest } from '../../platform/manifest-yaml.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { type ChosenCapability, readFiles } from '../../registry/service.ts';

/** The built-in agent. */
export const BASIC = 'basic';

const MAX_FILE_BYTES = 256 * 1024;
const MANIFEST = 'capability.yaml';
const PROMPT = 'PROMPT.md';
const AGENT_FILE = /^agents\/([^/]+)\.md$/;
const SKILL_FILE = /^skills\/[^/]+\/SKILL\.md$/;

type Store = { readonly db: Db; readonly storage: ObjectStorage };
type Version = Pick<ChosenCapability, 'ownerId' | 'versionId'>;

export async function readCapabilityTexts(store: Store, version: Version): Promise<CapabilityTexts> {
  const isRead = (path: string) =>
    path === MANIFEST || path === PROMPT || AGENT_FILE.test(path) || SKILL_FILE.test(path);
  const files = await readTexts(store, version, isRead);
  const agents = new Map<string, CapabilityFile>();
  for (const file of files) {
    const name = AGENT_FILE.exec(file.path)?.[1];
    if (name !== undefined) agents.set(parseAgentFile(file.text).name ?? name, file);
  }
  const manifest = files.find(({ path }) => path === MANIFEST);
  const named = manifest && parseManifest(MANIFEST, Buffer.from(manifest.text)).value['prompt'];
  const promptPath = typeof named === 'string' ? named : PROMPT;
  const prompt =
    files.find(({ path }) => path === promptPath) ??
    (promptPath === PROMPT ? undefined : (await readTexts(store, version, (path) => path === promptPath))[0]);
  return { agents, skills: files.filter(({ path }) => SKILL_FILE.test(path)), prompt };
}

/** Files that are too large for a prompt are left out. */
async function readTexts(
  { db, storage }: Store,
  version: Version,
  isRead: (path: string) => boolean,
): Promise<CapabilityFile[]> {
  const files: CapabilityFile[] = [];
  for await (const { path, sizeBytes, content } of readFiles(db, storage, version)) {
    if (isRead(path) && sizeBytes <= MAX_FILE_BYTES) files.push({ path, text: await text(content) });
    else content.destroy();
  }
  return files;
}

/** @param capabilityFolder the folder in the sandbox in which the agent finds its skills */
export function toAgentPrompt(texts: CapabilityTexts, agent: string, capabilityFolder: string): string {
  const file = texts.agents.get(agent);
  return toSystemPrompt({
    ...(file && { agent: file.text }),
    ...(texts.prompt && { prompt: texts.prompt.text }),
    skills: texts.skills,
    capabilityFolder,
  });
}
