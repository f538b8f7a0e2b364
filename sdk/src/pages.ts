/** Lists in all three forms: bare arrays, cursors for lists that grow without limit, numbered pages. */
import { DrydockError } from './errors.ts';

/** Type of one item of such a response. */
export type ItemOf<Page> = Page extends readonly (infer Item)[]
  ? Item
  : Page extends { readonly items: readonly (infer Item)[] }
    ? Item
    : { [Key in keyof Page]: Page[Key] extends readonly (infer Item)[] ? Item : never }[keyof Page];

/** Cursor or number by which the next page is requested. */
export type Position = { readonly cursor: string } | { readonly page: number };

/**
 * A list that is not read yet. `await` returns the first page as sent by the server; `for await` yields every item, page
 * after page; `pages()` yields every page. Nothing is sent before, and each of these reads the list again.
 *
 * @example
 * ```ts
 * const projects = await drydock.projects.list({ org: 'main', workspace: 'main' });
 * console.log(projects.length > 0); // → true
 *
 * for await (const entry of drydock.auditLog.list({ org: 'main' }, { limit: 100 })) {
 *   console.log(typeof entry.action); // → string
 *   break; // no further page is asked for
 * }
 * ```
 */
export class List<Page> implements PromiseLike<Page>, AsyncIterable<ItemOf<Page>> {
  readonly #request: string;
  readonly #send: (position: Position | undefined) => Promise<Page>;

  /** @param request method and path, for errors */
  constructor(request: string, send: (position: Position | undefined) => Promise<Page>) {
    this.#request = request;
    this.#send = send;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a list can be awaited as well as looped over
  then<Done = Page, Failed = never>(
    onDone?: ((page: Page) => Done | PromiseLike<Done>) | null,
    onFailed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#read(undefined).then(onDone, onFailed);
  }

  catch<Failed = never>(
    onFailed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Page | Failed> {
    return this.#read(undefined).catch(onFailed);
  }

  finally(onEnd?: (() => void) | null): Promise<Page> {
    return this.#read(undefined).finally(onEnd);
  }

  /** Yields every page as sent by the server, with its totals. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let position: Position | undefined;
    do {
      const page = await this.#read(position);
      yield page;
      const next = findNext(page);
      if (next && isSame(next, position)) throw this.#unexpected('The next page equals the previous one.');
      position = next;
    } while (position);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void, undefined> {
    for await (const page of this.pages()) yield* findItems(page as Page) ?? [];
  }

  async #read(position: Position | undefined): Promise<Page> {
    const page = await this.#send(position);
    if (!findItems(page)) throw this.#unexpected('The response contains no list.');
    return page;
  }

  #unexpected(detail: string): DrydockError {
    return new DrydockError({ type: 'unexpected_answer_error', request: this.#request, detail, status: 200 });
  }
}

interface AnyPage {
  readonly next_cursor?: string | null;
  readonly has_next?: boolean;
  readonly page?: number;
  readonly page_size?: number;
  readonly total?: number;
}

function findNext(response: unknown): Position | undefined {
  const { next_cursor, has_next, page, page_size, total } = response as AnyPage;
  if (next_cursor) return { cursor: next_cursor };
  if (page === undefined) return undefined;
  const isMore = has_next ?? (page_size !== undefined && total !== undefined && page * page_size < total);
  return isMore ? { page: page + 1 } : undefined;
}

/** Detects a page that would be requested without end. */
const isSame = (next: Position, last: Position | undefined) => JSON.stringify(next) === JSON.stringify(last);

/** Finds the list of a page: `items`, or the plural of what it lists. Undefined when the server has sent something else. */
function findItems<Page>(page: Page): ItemOf<Page>[] | undefined {
  const named = Object(page ?? {}) as Readonly<Record<string, unknown>>;
  const items: unknown = [page, named['items'], ...Object.values(named)].find(Array.isArray);
  return items as ItemOf<Page>[] | undefined;
}
