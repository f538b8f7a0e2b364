/** Scripts for programs at terminals, for any shell. */

/**
 * Shows each new size of its terminal.
 *
 * A size may come in two steps, columns and rows, and bash forgets a signal that comes while the trap of the one before it
 * runs. So the trap does not show the size: it only says that there is one to show.
 *
 * @param meanwhile what it does between two looks, over and over
 */
export const showSizes = (meanwhile = 'sleep 0.02') =>
  `trap resized=1 WINCH; echo ready; while :; do if [ "$resized" ]; then resized=; stty size; fi; ${meanwhile}; done`;
