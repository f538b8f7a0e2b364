/** Tries a finding again, on the same target or on a changed one, and shows the result. */
import type { AssessmentResponse, FindingDetail, RetestRequest } from '@drydock/sdk';
import {
  Button,
  Group,
  JsonInput,
  Loader,
  Modal,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { toFieldErrors } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ModelInput } from '../../components/registry-inputs.tsx';
import { useWhere } from '../../frame/scope.ts';
import { useReadAssessmentAgain } from '../live.tsx';
import { assessmentQuery, FINDING_KEY } from '../queries.ts';
import { kindOf, targetOf } from '../states.ts';
import { RetestResult } from './retests.tsx';

interface RetestDialogProps {
  readonly finding: FindingDetail;
  readonly onClose: () => void;
}

export function RetestDialog({ finding, onClose }: RetestDialogProps) {
  const where = useWhere();
  const [started, setStarted] = useState<string>();
  const { data: assessment, error } = useQuery(
    assessmentQuery({ ...where, assessment_id: finding.assessment_id }),
  );
  const result = finding.retests.find(({ assessment_id }) => assessment_id === started);
  return (
    <Modal opened onClose={onClose} title="Retest" centered size="lg">
      {started !== undefined ? (
        <Stack gap="sm" role="status">
          {result ? <RetestResult retest={result} /> : <Loader size="sm" aria-label="Loading" />}
          <Group justify="flex-end">
            <Button size="xs" variant="default" onClick={onClose}>
              Close
            </Button>
          </Group>
        </Stack>
      ) : error ? (
        <ErrorNotice error={error} />
      ) : assessment ? (
        <RetestForm finding={finding} assessment={assessment} onStarted={setStarted} onClose={onClose} />
      ) : (
        <Loader size="sm" aria-label="Loading" />
      )}
    </Modal>
  );
}

interface Values {
  target: 'same' | 'changed';
  target_model: string;
  system_prompt: string;
  /** The whole configuration of a target that is not a model. */
  target_json: string;
  trials: number | string;
}

function toRequest(values: Values, assessment: AssessmentResponse): RetestRequest {
  const { target, target_model, system_prompt, target_json, trials } = values;
  const size = trials === '' ? {} : { trials: Number(trials) };
  if (target === 'same') return size;
  if (kindOf(assessment) !== 'model')
    return { ...size, target_config: JSON.parse(target_json) as Record<string, unknown> };
  const { system_prompt: _, model: _model, ...config } = assessment.target_config ?? {};
  return {
    ...size,
    target_model,
    target_config: { ...config, kind: 'model', ...(system_prompt !== '' && { system_prompt }) },
  };
}

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

interface RetestFormProps extends RetestDialogProps {
  readonly assessment: AssessmentResponse;
  readonly onStarted: (assessmentId: string) => void;
}

function RetestForm({ finding, assessment, onStarted, onClose }: RetestFormProps) {
  const where = useWhere();
  const queries = useQueryClient();
  const readAgain = useReadAssessmentAgain();
  const prompt = assessment.target_config?.['system_prompt'];
  const form = useForm<Values>({
    initialValues: {
      target: 'same',
      target_model: assessment.target_model ?? '',
      system_prompt: typeof prompt === 'string' ? prompt : '',
      target_json: JSON.stringify(assessment.target_config ?? {}, null, 2),
      trials: '',
    },
    validate: {
      target_json: (text) => (isJsonObject(text) ? null : 'This is not a JSON object.'),
    },
  });
  const retest = useAction(
    (request: RetestRequest) => drydock.findings.retest({ ...where, finding_id: finding.id }, request),
    async ({ id }) => {
      readAgain(id);
      await queries.invalidateQueries({ queryKey: [FINDING_KEY, finding.id] });
      onStarted(id);
    },
  );
  const submit = (values: Values) =>
    retest.mutate(toRequest(values, assessment), {
      onError: (error) => form.setErrors(toFieldErrors(error)),
    });
  const isChanged = form.values.target === 'changed';
  const isModel = kindOf(assessment) === 'model';
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          The best prompts are sent once more, then the same attack runs again. All trials count.
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Target"
          transitionDuration={0}
          data={[
            { value: 'same', label: `Same target: ${targetOf(assessment).slice(0, 40)}` },
            { value: 'changed', label: isModel ? 'Changed model or system prompt' : 'Changed target' },
          ]}
          {...form.getInputProps('target')}
        />
        {isChanged && <ChangedTarget form={form} isModel={isModel} />}
        <NumberInput
          label="Trials"
          description="Besides the best prompts"
          placeholder="as before"
          min={1}
          max={200}
          {...form.getInputProps('trials')}
        />
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onClose}>
            Discard
          </Button>
          <Button size="xs" type="submit" loading={retest.isPending}>
            Start the retest
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ChangedTargetProps {
  readonly form: UseFormReturnType<Values>;
  readonly isModel: boolean;
}

function ChangedTarget({ form, isModel }: ChangedTargetProps) {
  return isModel ? (
    <>
      <ModelInput label="Model" required {...form.getInputProps('target_model')} />
      <Textarea
        label="System prompt"
        autosize
        minRows={3}
        maxRows={10}
        {...form.getInputProps('system_prompt')}
      />
    </>
  ) : (
    <JsonInput
      label="Configuration of the target (JSON)"
      autosize
      minRows={4}
      maxRows={14}
      {...form.getInputProps('target_json')}
    />
  );
}
