import { notifications } from '@mantine/notifications';
import { toProblem } from '../api/problem.ts';

/** Shows why something that the user asked for was not done. */
export function showProblem(error: unknown): void {
  const { title, detail } = toProblem(error);
  notifications.show({ color: 'red', title, message: detail, autoClose: 10_000 });
}
