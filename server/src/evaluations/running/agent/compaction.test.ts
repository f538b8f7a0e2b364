/** A sample whose context grows beyond what its model can read. */
import { expect, test } from 'vitest';
import { addProvider, startEvaluationWorld, W } from '../../../../test/evaluation-world.ts';
import { answers } from '../../../../test/model-provider.ts';

const { me, publishTask, evaluate, ended, listItems } = await startEvaluationWorld({
  environment: { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' },
});
const provider = await addProvider(me, { price: 1 });

test('an agent near the end of its context begins a new era, whose cost counts and whose past is searched', async () => {
  await publishTask('long', 'unused', { manifest: { verification: { method: 'exact', expected: 'done' } } });
  const usage = (prompt_tokens: number) => ({
    prompt_tokens,
    completion_tokens: 10,
    total_tokens: prompt_tokens + 10,
  });
  const bash = {
    id: 'call',
    name: 'bash',
    arguments: JSON.stringify({ command: 'echo needle-in-the-past' }),
  };
  provider.next(
    answers({ text: '', toolCalls: [bash], usage: usage(120_000) }),
    answers({ text: 'The command printed a needle.', usage: usage(30_000) }),
    answers({ text: 'done', usage: usage(500) }),
  );
  const id = await evaluate({ model: 'acme/large', task_names: ['long'] });
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 1 });
  const [item] = await listItems(id);
  expect(item).toMatchObject({ turn_count: 2, usage: { input_tokens: 150_500, output_tokens: 30 } });
  expect(item.usage.cost_usd).toBeCloseTo(0.15053, 10);

  // The model that goes on reads the instruction and the summary, and nothing of the past.
  const last = provider.requests.at(-1)?.text ?? '';
  expect(last).toContain('The command printed a needle.');
  expect(last).toContain('Run this:');
  expect(last).not.toContain('needle-in-the-past');

  const place = `${W}/evaluation/${id}/items`;
  const current = await me.get(`${place}/${item.id}/transcript`);
  expect(current.body.session.usage).toMatchObject({ compaction_count: 1 });
  expect(current.body.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
  const all = await me.get(`${place}/${item.id}/transcript?include_compacted=true`);
  expect(all.body.messages).toHaveLength(5);
  const found = await me.get(`${place}/search?q=NEEDLE-in-the-past`);
  expect(found.body).toMatchObject({
    total: 1,
    matches: [{ item_id: item.id, match_count: 2, matched_in: 'transcript' }],
  });
});
