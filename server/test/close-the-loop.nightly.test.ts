/** Runs the story of `npm run demo`: it succeeds, is deterministic, and stays the same when its server is killed twice. */
import { expect, test } from 'vitest';
import { type Story, tellStory } from '../../scripts/demo/story.ts';
import { until } from './processes.ts';
import { openRestartableServer, type RestartableServer } from './restartable-server.ts';

const WHERE = { org: 'main', workspace: 'main' };
const WAIT_TIMEOUT_MS = 1_200_000;

/** The parts that are equal in every run: no ids and no times. */
const toSummary = ({ before, after, finding, gate, prompt }: Story) => ({
  before,
  after,
  prompt,
  finding: { attack: finding.attack_name, goal: finding.goal, status: finding.finding_status },
  gate: gate.results.map(({ kind, verdict, n }) => ({ kind, verdict, n })),
});

/** Kills the server once during the attack on the agent, and once during the optimization of its prompt. */
async function killTwice({ drydock, kill }: RestartableServer): Promise<void> {
  await until(
    'the attacks have begun',
    async () => {
      const { items } = await drydock.assessments.list(WHERE);
      return (items[0]?.progress.trials ?? 0) >= 3;
    },
    WAIT_TIMEOUT_MS,
  );
  await kill();
  await until(
    'the search has found a candidate',
    async () => {
      const { items } = await drydock.optimization.list(WHERE);
      return (items[0]?.summary.metadata.candidate_count ?? 0) >= 2;
    },
    WAIT_TIMEOUT_MS,
  );
  await kill();
}

test(
  'the demo story ends with a remediated finding, a better score and fewer successful attacks, even when its server is killed twice',
  async () => {
    const calm = await openRestartableServer();
    const story = await tellStory(calm.drydock);
    await calm.stop();
    const summary = toSummary(story);
    expect(summary.finding.status).toBe('remediated');
    expect(story.finding.review_events.at(-1)?.retest_id).toBe(story.gate.results[1]?.assessment_id);
    expect(story.gate.verdict).toBe('passed');
    const { score, asr } = story.intervals;
    expect(score.before.high).toBeLessThan(score.after.low);
    expect(asr.after.high).toBeLessThan(asr.before.low);

    const killed = await openRestartableServer();
    const [again] = await Promise.all([tellStory(killed.drydock), killTwice(killed)]);
    await killed.stop();
    expect(toSummary(again)).toEqual(summary);
  },
  WAIT_TIMEOUT_MS,
);
