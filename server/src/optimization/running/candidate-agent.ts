/** How a candidate is run: as the system prompt of single calls, or as an agent with a copy of the capability's files. */
import { type Scoring, toAgentPrompt } from '../../evaluations/service.ts';
import { replaceComponents, withFiles } from '../../platform/agent/capability-components.ts';
import type { Candidate } from '../../platform/optimizer/ports.ts';
import type { JobContext } from './context.ts';

/** Capabilities are mounted read-only at /capabilities, so that changed files lie elsewhere; /tmp can be written in every sandbox. */
const COPIES = '/tmp/capabilities';

export function toCandidateAgent(
  { job, texts }: JobContext,
  candidate: Candidate,
): Pick<Scoring, 'agent' | 'systemPrompt' | 'capabilityCopy'> {
  const { capability, agent_name: name } = job.request;
  if (job.target_kind === 'capability_agent')
    return { agent: null, systemPrompt: candidate['instructions'] ?? '' };
  const replaced = replaceComponents(texts, name, candidate);
  const changed = withFiles(texts, replaced);
  const hasSkill = replaced.some(({ path }) => path.startsWith('skills/'));
  const folder = `${hasSkill ? COPIES : '/capabilities'}/${capability.name}`;
  const agent = { name, systemPrompt: toAgentPrompt(changed, name, folder) };
  if (!hasSkill) return { agent };
  const { ownerId, versionId } = capability;
  return { agent, capabilityCopy: { ownerId, versionId, folder, replaced } };
}
