/** The values of the form for a new assessment, and the API request that is made of them. */
import type { AirtAttack, CreateAssessmentRequest } from '@drydock/sdk';
import { createFormContext } from '@mantine/form';
import { type PlacedErrors, toFieldPaths } from '../../components/create-form.tsx';
import type { TargetKind } from '../states.ts';

/** A number field that is empty has an empty string as its value. */
type NumberField = number | string;

export interface NewAssessmentValues {
  name: string;
  project_id: string;
  kind: TargetKind;
  target_model: string;
  system_prompt: string;
  /** The configuration of an HTTP service or an agent, as JSON. */
  target_json: string;
  attacks: string[];
  goal_source: 'categories' | 'own';
  goal_categories: string[];
  /** One goal per line. */
  goals: string;
  /** The category of the goals of one's own, by which their severity is rated. */
  goal_category: string;
  transforms: string[];
  is_chain: boolean;
  trials: NumberField;
  attacker_model: string;
  judge_model: string;
  budget_usd: NumberField;
  seed: NumberField;
}

/** The form context, which the parts of the page share. */
export const [NewAssessmentFormProvider, useNewAssessment, useNewAssessmentForm] =
  createFormContext<NewAssessmentValues>();

export const INITIAL_VALUES: NewAssessmentValues = {
  name: '',
  project_id: '',
  kind: 'model',
  target_model: 'sim/guarded',
  system_prompt: '',
  target_json: '',
  attacks: ['baseline', 'role_play', 'crescendo'],
  goal_source: 'categories',
  goal_categories: ['credential_leak'],
  goals: '',
  goal_category: '',
  transforms: [],
  is_chain: false,
  trials: 10,
  attacker_model: '',
  judge_model: '',
  budget_usd: '',
  seed: '',
};

export const TARGET_EXAMPLES: Readonly<Record<Exclude<TargetKind, 'model'>, string>> = {
  http: `{
  "url": "https://chat.example.com/api/messages",
  "method": "POST",
  "headers": { "authorization": "Bearer {{secret:CHAT_TOKEN}}" },
  "body_template": "{\\"message\\": \\"{{prompt}}\\"}",
  "response_path": "reply.text"
}`,
  agent: `{
  "capability": { "name": "my-capability", "version": "1.0.0" },
  "model": "sim/tool-user"
}`,
};

/** Only simulated targets have a default attacker and judge. */
export const isSimulated = ({ kind, target_model }: NewAssessmentValues): boolean =>
  kind === 'model' && target_model.startsWith('sim/');

/** @throws {SyntaxError} where the JSON of the target is not an object */
function toTarget({ kind, target_json, system_prompt }: NewAssessmentValues): Record<string, unknown> {
  if (kind === 'model') return { kind, ...(system_prompt !== '' && { system_prompt }) };
  const parsed: unknown = JSON.parse(target_json || '{}');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new SyntaxError('The target has to be a JSON object.');
  return { ...parsed, kind };
}

/** @returns what is wrong with the JSON of the target */
export function findTargetError(values: NewAssessmentValues): string | undefined {
  try {
    toTarget(values);
    return undefined;
  } catch (error) {
    return `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export const toGoals = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type Entry = Readonly<Record<string, unknown>>;

/** One entry for each attack and category. Attacks on the system itself have a category and goals of their own. */
function toManifest(values: NewAssessmentValues, catalogue: readonly AirtAttack[]): Entry[] {
  const { attacks, transforms, is_chain, trials, goal_source, goal_categories, goal_category } = values;
  const shared = {
    ...(transforms.length > 0 && { transforms: is_chain ? [transforms] : transforms.map((name) => [name]) }),
    ...(trials !== '' && { trials: Number(trials) }),
  };
  const isOfSystem = (name: string) =>
    catalogue.some((attack) => attack.name === name && attack.turns === 'system');
  const toEntry = (attack: string, goals: Entry = {}): Entry => ({ attack, ...goals, ...shared });
  const own = { goals: toGoals(values.goals), ...(goal_category !== '' && { goal_category }) };
  return attacks.flatMap((attack) => {
    if (goal_source === 'own') return [toEntry(attack, own)];
    if (isOfSystem(attack)) return [toEntry(attack)];
    return goal_categories.map((name) => toEntry(attack, { goal_category: name }));
  });
}

export function toRequest(
  values: NewAssessmentValues,
  catalogue: readonly AirtAttack[],
): CreateAssessmentRequest {
  const { kind, target_model, attacker_model, judge_model, budget_usd, seed } = values;
  const config = {
    ...(budget_usd !== '' && { budget_usd: Number(budget_usd) }),
    ...(seed !== '' && { seed: Number(seed) }),
  };
  return {
    name: values.name,
    ...(kind === 'model' && target_model !== '' && { target_model }),
    target_config: findTargetError(values) === undefined ? toTarget(values) : { kind },
    attack_manifest: toManifest(values, catalogue),
    ...(attacker_model !== '' && { attacker_model }),
    ...(judge_model !== '' && { judge_model }),
    ...(Object.keys(config).length > 0 && { attacker_config: config }),
  };
}

/** Missing fields that are found before the request is sent. */
export function validate(values: NewAssessmentValues): Record<string, string | null> {
  const isOwn = values.goal_source === 'own';
  return {
    name: values.name.trim() === '' ? 'Give the assessment a name.' : null,
    project_id: values.project_id === '' ? 'Choose a project.' : null,
    target_model:
      values.kind === 'model' && values.target_model === '' ? 'Name the model that is attacked.' : null,
    target_json: values.kind === 'model' ? null : (findTargetError(values) ?? null),
    attacks: values.attacks.length === 0 ? 'Choose at least one attack.' : null,
    goals: isOwn && toGoals(values.goals).length === 0 ? 'Write at least one goal.' : null,
    goal_categories: !isOwn && values.goal_categories.length === 0 ? 'Choose at least one category.' : null,
  };
}

/** The field that shows errors of a part of the request. The first pattern that matches counts. */
const PLACES: readonly (readonly [path: RegExp, field: string])[] = [
  [/^attack_manifest\.\d+\.goals\b.*$/, 'goals'],
  [/^attack_manifest\.\d+\.goal_category$/, 'goal_category'],
  [/^attack_manifest\.\d+\.transforms\b.*$/, 'transforms'],
  [/^attack_manifest\.\d+\.trials$/, 'trials'],
  [/^attack_manifest\b.*$/, 'attacks'],
  [/^attacker_config\.(budget_usd|seed)$/, '$1'],
  [/^target_config\.model$/, 'target_model'],
  [/^target_config\.system_prompt$/, 'system_prompt'],
];

/** Shows errors of the API at the fields of the form. */
export function placeErrors(
  errors: Readonly<Record<string, string>>,
  { kind }: Pick<NewAssessmentValues, 'kind'>,
): PlacedErrors {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const [path, message] of Object.entries(errors)) {
    const isOfJson = kind !== 'model' && path.startsWith('target_');
    const place = PLACES.find(([pattern]) => pattern.test(path));
    const field = isOfJson ? 'target_json' : place ? path.replace(...place) : path;
    const text = isOfJson ? `${path.replace(/^target_config\./, '')}: ${message}` : message;
    // Several entries of the manifest may have the same mistake.
    const isNew = !fields[field]?.includes(text);
    if (FIELDS.has(field) && isNew) fields[field] = [fields[field], text].filter(Boolean).join(' ');
    else if (!FIELDS.has(field)) others.push(path === '' ? message : `${path}: ${message}`);
  }
  return { fields, others };
}

const FIELDS = toFieldPaths(INITIAL_VALUES);
