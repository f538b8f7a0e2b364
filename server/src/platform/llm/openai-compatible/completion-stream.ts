/** Chunks of a streamed completion, with our id. */
import type { ResponseBody } from '../../net/response-body.ts';
import { PieceStream, type PieceStreamOptions } from '../piece-stream.ts';
import { isFinished, outputLengthOf, parseObject, toCompletion } from './completion.ts';
import { findUsage } from './usage.ts';

interface StreamOptions extends PieceStreamOptions {
  /** True when the caller requested the chunk with the usage. */
  readonly isUsageWanted: boolean;
}

export class CompletionStream extends PieceStream {
  readonly #id: string;
  readonly #isUsageWanted: boolean;

  constructor(body: ResponseBody, options: StreamOptions) {
    super(body, options);
    this.#id = options.id;
    this.#isUsageWanted = options.isUsageWanted;
  }

  protected override read(data: string): void {
    if (data.trim() === '[DONE]') return this.end();
    const fields = parseObject(data);
    if (!fields) return this.fail(this.garbage('sent something that is not a chunk of a chat completion'));
    const id = this.#id;
    const chunk = toCompletion(fields, id) ?? { ...fields, id, choices: [] };
    if (fields['error'] && chunk.choices.length === 0)
      return this.fail(this.garbage('failed in the middle of its response', fields['error']));
    const { usage } = chunk;
    const hasUsage = usage !== undefined && usage !== null;
    if (isFinished(chunk) || (this.isFinished && !hasUsage)) this.finish();
    if (hasUsage) this.setUsage(findUsage(usage), true);
    const isUsageAlone = hasUsage && chunk.choices.length === 0;
    if (!isUsageAlone || this.#isUsageWanted) this.add(chunk, outputLengthOf(chunk));
    return undefined;
  }
}
