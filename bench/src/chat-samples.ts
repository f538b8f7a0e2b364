/** The requests and responses of `inference.ts`. */
const COUNT = 20;
const PROVIDER_NAME = 'bench';
const MODEL_NAME = 'small';

const messages = [
  { role: 'system', content: 'You answer in one sentence, and name what you are not sure of. '.repeat(6) },
  { role: 'user', content: 'Which river is longer, the Danube or the Rhine, and by how much? '.repeat(4) },
];
const MODEL = `${PROVIDER_NAME}/${MODEL_NAME}`;
const ask = (stream: boolean) => JSON.stringify({ model: MODEL, messages, stream });

export const REQUESTS = { whole: ask(false), streamed: ask(true) };

const usage = { prompt_tokens: 173, completion_tokens: COUNT, total_tokens: 173 + COUNT };
const words = Array.from({ length: COUNT }, (_, index) => `word-${index} `);
const common = { id: 'chatcmpl-Bq1zPc0XnV8bench', created: 1_700_000_000, model: MODEL_NAME };

/** The request of an agent after a number of turns: all of them, and the next question. */
export function askAgain(turns: number): string {
  const [system, question] = messages;
  const answer = { role: 'assistant', content: words.join('') };
  const history = Array.from({ length: turns }, (_, turn) => [
    { ...question, content: `Question ${turn}` },
    answer,
  ]);
  const next = { ...question, content: `Question ${turns}` };
  return JSON.stringify({ model: MODEL, messages: [system, ...history.flat(), next] });
}

export const SESSION = { model: MODEL };

export const ANSWER = JSON.stringify({
  ...common,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: words.join(''), refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
});

const chunk = (choices: readonly object[], usage: object | null = null) =>
  JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, usage: usage });
const say = (delta: object, reason: string | null = null) =>
  chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);

/** The words one by one, then the end and the usage. */
export const CHUNKS = [
  say({ role: 'assistant', content: '' }),
  ...words.map((content) => say({ content })),
  say({}, 'stop'),
  chunk([], usage),
];

/** The list of providers that offers the model. */
export const providersAt = (origin: string) => ({
  providers: [
    {
      name: PROVIDER_NAME,
      kind: 'openai_compatible',
      base_url: `${origin}/v1`,
      api_key: 'sk-bench',
      models: [{ name: MODEL_NAME, input_price: 2, output_price: 8, max_output_tokens: 1_000 }],
    },
  ],
});
