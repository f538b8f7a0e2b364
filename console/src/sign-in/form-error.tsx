import { Alert } from '@mantine/core';
import { toProblem } from '../api/problem.ts';

/** Why the server refused a form; nothing while `error` is undefined. */
export function FormError({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {toProblem(error).detail}
    </Alert>
  );
}
