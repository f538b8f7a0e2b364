/** What was said in a span, in one form for every convention. */

export interface ToolCall {
  readonly id: string | null;
  readonly name: string | null;
  /** As the model gave them: most often an object; text where it is not JSON. */
  readonly arguments: unknown;
}

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or what the span calls it. */
  readonly role: string;
  /** Text; the parts, where there is more than text; null, where there is none. */
  readonly content: string | readonly unknown[] | null;
  readonly tool_calls?: readonly ToolCall[];
  /** Of the call that this answers. */
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface Messages {
  readonly input: Message[];
  readonly output: Message[];
}
