/** Scripts for programs in terminals, for any shell. */

/**
 * Prints each new size of its terminal. A size may arrive in two steps, columns and rows, and bash loses a signal that arrives while the
 * previous trap runs. So the trap does not print the size, but only sets a flag. The argument is the command that runs between two checks,
 * repeatedly.
 */
export const showSizes = (meanwhile = 'sleep 0.02') =>
  `trap resized=1 WINCH; echo ready; while :; do if [ "$resized" ]; then resized=; stty size; fi; ${meanwhile}; done`;
