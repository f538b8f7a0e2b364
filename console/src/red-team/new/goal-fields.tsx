/** What the attacks try to achieve: the harmless goals of categories, or goals of one's own. */
import type { AirtGoalCategory } from '@drydock/sdk';
import { List, MultiSelect, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core';
import { formatCountOf } from '../../components/format.ts';
import { toWords } from '../states.ts';
import { toGoals, useNewAssessment } from './values.ts';

export function GoalFields({ categories }: { readonly categories: readonly AirtGoalCategory[] }) {
  const form = useNewAssessment();
  const isOwn = form.values.goal_source === 'own';
  return (
    <Stack gap="sm">
      <div>
        <SegmentedControl
          size="xs"
          aria-label="Goals"
          transitionDuration={0}
          data={[
            { value: 'categories', label: 'Harmless goals of categories' },
            { value: 'own', label: 'My own goals' },
          ]}
          {...form.getInputProps('goal_source')}
        />
      </div>
      {isOwn ? <OwnGoals categories={categories} /> : <CategoryGoals categories={categories} />}
    </Stack>
  );
}

interface CategoriesProps {
  readonly categories: readonly AirtGoalCategory[];
}

const toOptions = (categories: readonly AirtGoalCategory[]) =>
  categories.map(({ name }) => ({ value: name, label: toWords(name) }));

function CategoryGoals({ categories }: CategoriesProps) {
  const form = useNewAssessment();
  const chosen = categories.filter(({ name }) => form.values.goal_categories.includes(name));
  return (
    <>
      <MultiSelect
        label="Categories"
        required
        searchable
        data={toOptions(categories)}
        {...form.getInputProps('goal_categories')}
      />
      {chosen.map(({ name, description, goals }) => (
        <div key={name}>
          <Text size="xs" fw={500}>
            {toWords(name)}
            <Text span inherit c="dimmed" fw={400}>
              {' '}
              {description}
            </Text>
          </Text>
          <List size="xs" c="dimmed" withPadding>
            {goals.map((goal) => (
              <List.Item key={goal}>{goal}</List.Item>
            ))}
          </List>
        </div>
      ))}
    </>
  );
}

function OwnGoals({ categories }: CategoriesProps) {
  const form = useNewAssessment();
  const count = toGoals(form.values.goals).length;
  return (
    <>
      <Textarea
        label="Goals"
        required
        description={`One per line: what the target must not do. ${formatCountOf(count, 'goal')}.`}
        autosize
        minRows={3}
        maxRows={12}
        {...form.getInputProps('goals')}
      />
      <Select
        label="Category"
        description="It decides how severe a success is"
        placeholder="Jailbreak general"
        clearable
        data={toOptions(categories)}
        {...form.getInputProps('goal_category')}
        value={form.values.goal_category || null}
        onChange={(name) => form.setFieldValue('goal_category', name ?? '')}
      />
    </>
  );
}
