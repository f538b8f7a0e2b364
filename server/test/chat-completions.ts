/** The rules of Chat Completions for conversations, as far as our documents could break them. */

interface Chat {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly refusal?: unknown;
  readonly audio?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: unknown; readonly arguments: unknown };
  }[];
}

/** Returns the mistakes as sentences; none for a valid conversation. */
export function findMistakes(messages: readonly Chat[]): string[] {
  const mistakes: string[] = [];
  let waiting: string[] = [];
  for (const [place, message] of messages.entries()) {
    const complain = (what: string) => mistakes.push(`message ${place}: ${what}`);
    if (message.role === 'tool') {
      if (message.tool_call_id !== waiting.shift()) complain('answers no call that waits');
      if (typeof message.content !== 'string') complain('has no text');
      continue;
    }
    if (waiting.length > 0) complain('comes before a call is answered');
    waiting = (message.tool_calls ?? []).map(({ id }) => id);
    if (!['system', 'developer', 'user', 'assistant'].includes(message.role)) complain('has an unknown role');
    if (message.role !== 'assistant' && 'tool_calls' in message) complain('must not call');
    if ('tool_calls' in message && waiting.length === 0) complain('has an empty list of calls');
    const isAnswer = waiting.length > 0 || Boolean(message.refusal ?? message.audio);
    if (message.content === null ? !isAnswer : typeof message.content !== 'string') complain('says nothing');
    for (const { type, function: called } of message.tool_calls ?? []) {
      if (type !== 'function' || typeof called.name !== 'string' || typeof called.arguments !== 'string') {
        complain('has a call of another shape');
      }
    }
  }
  return waiting.length > 0 ? [...mistakes, 'a call is not answered'] : mistakes;
}
