/** Messages of a span, in one form for every convention. */

export interface ToolCall {
  readonly id: string | null;
  readonly name: string | null;
  /** Arguments as given by the model: usually an object, or text when they are not valid JSON. */
  readonly arguments: unknown;
}

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or the span's own name for the role. */
  readonly role: string;
  /** Text; a list of parts when there is more than text; null when there is no content. */
  readonly content: string | readonly unknown[] | null;
  readonly tool_calls?: readonly ToolCall[];
  /** Id of the call that this message answers. */
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface Messages {
  readonly input: Message[];
  readonly output: Message[];
}
