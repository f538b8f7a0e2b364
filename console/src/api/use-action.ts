import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { showProblem } from '../components/show-problem.ts';

/** A mutation that a button starts. When it fails, a notification says why. */
export function useAction<Input, Result>(
  act: (input: Input) => Promise<Result>,
  onDone?: (result: Result) => void | Promise<void>,
): UseMutationResult<Result, Error, Input> {
  return useMutation({
    mutationFn: act,
    onError: (error: Error) => showProblem(error),
    ...(onDone && { onSuccess: (result: Result) => onDone(result) }),
  });
}
