/** What is done once this turn of the event loop has heard all that came in it. */
let actions: (() => void)[] = [];

export function atTurnEnd(action: () => void): void {
  if (actions.push(action) === 1) setImmediate(run);
}

function run(): void {
  const due = actions;
  actions = [];
  for (const action of due) attempt(action);
}

/** What fails in one is nothing to the others: it is told once they are done. */
function attempt(action: () => void): void {
  try {
    action();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}
