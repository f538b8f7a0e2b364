/** Jobs whose candidates are scored on tasks, as agents in sandboxes. */
import { expect, test } from 'vitest';
import { publishCapability } from '../../../test/capabilities.ts';
import { JOBS, startOptimizationWorld } from '../../../test/optimization-world.ts';

const { me, create, jobEnded, listCandidates, publishTask, evaluate, ended } = await startOptimizationWorld();

/** Prints what is missing, and scores the work in two steps. */
const VERIFY = `want="$(cat "$DRYDOCK_TASK_DIR/expected")"
reward() { echo "{\\"score\\": $1, \\"metrics\\": {\\"saved\\": $2}}" > "$DRYDOCK_REWARD_FILE"; }
[ -f result.txt ] || { echo "result.txt is missing"; reward 0 0; exit 1; }
[ "$(cat result.txt)" = "$want" ] || { echo "Expected output: $want"; reward 0.5 1; exit 1; }
reward 1 1
`;

const tasks = Array.from({ length: 8 }, (_, index) => `sum-${index + 1}`);
for (const [index, name] of tasks.entries())
  await publishTask(name, '', {
    manifest: { instruction: `What is ${index} + ${index * 7}? Save the result in result.txt.` },
    files: { 'verify.sh': VERIFY, expected: `${index * 8}` },
  });

const onTasks = {
  target_kind: 'capability_env',
  dataset_ref: undefined,
  task_refs: tasks,
  reward_recipe: { name: 'row_reward_v1' },
};

test('createOptimizationJob improves an agent on tasks; its promoted version scores the same in an evaluation', async () => {
  const id = await create({
    ...onTasks,
    config: { max_metric_calls: 30, parallel_rows: 4, frontier_type: 'hybrid' },
  });
  const job = await jobEnded(id);
  expect(job).toMatchObject({
    status: 'completed',
    error: null,
    components: ['agent_prompt'],
    agent_name: 'helper',
  });
  expect(job.task_refs).toEqual(tasks.map((name) => `${name}@1.0.0`));
  expect(job.summary).toMatchObject({
    best_score: 1,
    best_scores: { saved: 1 },
    metadata: { seed_score: 0 },
  });
  const best = job.summary.metadata.best_index;
  const { status, body } = await me.post(`${JOBS}/${id}/promote`, { version: '1.1.0' });
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      name: 'assistant',
      version: '1.1.0',
      from_version: '1.0.0',
      candidate: best,
      score: 1,
      holdout_score: null,
      changed_files: ['agents/helper.md'],
    },
  });
  const scoreOf = async (version: string) => {
    const request = {
      model: 'sim/instructed',
      agent: 'helper',
      capability: { name: 'assistant', version },
      task_names: tasks,
    };
    return (await ended(await evaluate(request))).mean_score;
  };
  expect([await scoreOf('1.0.0'), await scoreOf('1.1.0')]).toEqual([0, 1]);
});

test('createOptimizationJob gives agents the new texts of skills in a copy of the capability', async () => {
  await publishCapability(me, {
    name: 'skilled',
    files: {
      'agents/solo.md': 'Work.',
      'PROMPT.md': 'Read the skills.',
      'skills/a/SKILL.md': '---\nname: a\ndescription: First # kept\n---\nBody of a.\n',
      'skills/a/data.txt': 'beside it',
      'skills/b/SKILL.md': '---\nname: b\ndescription: Second\n---\nBody of b.\n',
    },
  });
  // The agent shows the copy that the candidate brings, where there is one.
  await publishTask(
    'look',
    'cat /tmp/capabilities/skilled/skills/a/SKILL.md /tmp/capabilities/skilled/skills/a/data.txt > result.txt 2>/dev/null || true',
    {
      files: {
        'verify.sh': 'cat result.txt; grep -q "New text" result.txt && grep -q "beside it" result.txt\n',
      },
    },
  );
  const answer = JSON.stringify([{ say: '```\nNew text.\n```' }]);
  const id = await create({
    ...onTasks,
    model: 'sim/tool-user',
    capability_ref: { name: 'skilled', version: '1.0.0' },
    task_refs: ['look'],
    components: ['skill_bodies', 'skill_descriptions', 'capability_prompt'],
    config: {
      reflection_lm: 'sim/scripted',
      reflection_prompt_template: `\`\`\`sim\n${answer}\n\`\`\`\n<curr_param> <side_info>`,
      module_selector: 'all',
      max_metric_calls: undefined,
      max_trials: 1,
    },
  });
  const job = await jobEnded(id);
  expect(job).toMatchObject({
    status: 'completed',
    error: null,
    summary: { best_score: 1, metadata: { seed_score: 0 } },
  });
  expect(job.components).toEqual(['capability_prompt', 'skill_descriptions', 'skill_bodies']);
  const [, child] = await listCandidates(id);
  expect(child.texts).toEqual({
    capability_prompt: 'New text.',
    'skill_descriptions/a': 'New text.',
    'skill_bodies/a': 'New text.',
    'skill_descriptions/b': 'New text.',
    'skill_bodies/b': 'New text.',
  });
  const { artifacts } = (await me.get(`${JOBS}/${id}/artifacts`)).body;
  expect(artifacts.files).toContainEqual({ path: 'PROMPT.md', text: 'New text.\n' });
  expect(artifacts.files).toContainEqual({
    path: 'skills/a/SKILL.md',
    text: '---\nname: a\ndescription: New text. # kept\n---\nNew text.\n',
  });
});

test('createOptimizationJob fails with a reason when a frontier of objectives has no metrics', async () => {
  await publishTask('plain', 'true', { files: { 'verify.sh': 'true\n' } });
  const id = await create({
    ...onTasks,
    model: 'sim/tool-user',
    task_refs: ['plain'],
    config: { frontier_type: 'objective' },
  });
  expect(await jobEnded(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('metrics') });
});
