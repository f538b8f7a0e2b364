/** The parts that the forms of new evaluations and new optimization jobs share. */
import { Paper, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { toFieldErrors, toProblem } from '../api/problem.ts';

export function FormSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper component="fieldset" withBorder p="md" m={0} miw={0}>
      <Title order={2} size="h6" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  );
}

/** The errors of a request by field, and those that belong to no field of the form. */
export interface PlacedErrors {
  readonly fields: Record<string, string>;
  readonly others: readonly string[];
}

interface SubmitOptions<Values> {
  readonly create: (values: Values) => Promise<void>;
  /** @param errors by the path in the request */
  readonly placeErrors: (errors: Readonly<Record<string, string>>) => PlacedErrors;
  readonly setErrors: (errors: Record<string, string>) => void;
}

/** Sends a form. Errors are shown at their fields, and the others in `failure`. */
export function useSubmit<Values>({ create, placeErrors, setErrors }: SubmitOptions<Values>) {
  const [failure, setFailure] = useState<string>();
  const submit = async (values: Values) => {
    setFailure(undefined);
    try {
      await create(values);
    } catch (error) {
      const { fields, others } = placeErrors(toFieldErrors(error));
      setErrors(fields);
      const isPlaced = Object.keys(fields).length > 0;
      setFailure(
        others.length > 0
          ? others.join(' ')
          : isPlaced
            ? 'Correct the marked fields, then start it again.'
            : toProblem(error).detail,
      );
      window.scrollTo({ top: 0 });
    }
  };
  return { submit, failure };
}

/** @returns the path of each field of a form, such as `config.seed` */
export const toFieldPaths = (values: object): ReadonlySet<string> =>
  new Set(
    Object.entries(values).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.keys(value).map((inner) => `${key}.${inner}`)
        : [key],
    ),
  );
