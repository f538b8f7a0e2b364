import { notifications } from '@mantine/notifications';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { toProblem } from './problem.ts';

/** A mutation that a button starts. When it fails, a notification says why. */
export function useAction<Input, Result>(
  act: (input: Input) => Promise<Result>,
  onDone?: (result: Result) => void | Promise<void>,
): UseMutationResult<Result, Error, Input> {
  return useMutation({
    mutationFn: act,
    onError: (error) => {
      const { title, detail } = toProblem(error);
      notifications.show({ color: 'red', title, message: detail, autoClose: 10_000 });
    },
    ...(onDone && { onSuccess: (result: Result) => onDone(result) }),
  });
}
