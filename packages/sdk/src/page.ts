import type { ApiRequest, Caller, CallOptions } from "./caller.ts";
import { DisburseError } from "./disburse-error.ts";
import { isObject } from "./exact-json.ts";
import type { PageMeta } from "./gen/types.ts";

/** One page of a list. Iteration yields its records and those of all later pages. */
export class Page<T> implements AsyncIterable<T> {
  /** The records of this page, without later pages. */
  readonly records: readonly T[];
  /** The total record count and the next page's cursor. */
  readonly meta_data: PageMeta;
  readonly #next: () => Promise<Page<T>>;

  constructor(records: readonly T[], metaData: PageMeta, next: () => Promise<Page<T>>) {
    this.records = records;
    this.meta_data = metaData;
    this.#next = next;
  }

  /** True if another page follows. */
  get hasNext(): boolean {
    return this.meta_data.next_cursor !== "";
  }

  /** Loads the next page; rejects with a `RangeError` after the last page. */
  async next(): Promise<Page<T>> {
    if (!this.hasNext) throw new RangeError("this is the last page");
    return this.#next();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> = this; ; page = await page.next()) {
      yield* page.records;
      if (!page.hasNext) return;
    }
  }
}

/**
 * A list request. `await` returns the first page; `for await` yields every record of all pages. No
 * request is sent before one of the two.
 */
export class PageRequest<T> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly [Symbol.toStringTag] = "PageRequest";
  readonly #load: () => Promise<Page<T>>;
  #first: Promise<Page<T>> | undefined;

  constructor(caller: Caller, request: ApiRequest, list: string, options: CallOptions) {
    this.#load = () => loadPage(caller, request, list, options);
  }

  // biome-ignore lint/suspicious/noThenProperty: programs await this class like a promise.
  then<A = Page<T>, B = never>(
    fulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#load();
    return this.#first.then(fulfilled, rejected);
  }

  catch<B = never>(
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<Page<T> | B> {
    return this.then(null, rejected);
  }

  finally(settled?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(settled);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }
}

async function loadPage<T>(
  caller: Caller,
  request: ApiRequest,
  list: string,
  options: CallOptions,
): Promise<Page<T>> {
  const { requestId = crypto.randomUUID() } = options;
  const data = await caller.send<unknown>(request, { ...options, requestId });
  const records = isObject(data) ? data[list] : undefined;
  const meta = isObject(data) && isObject(data.meta_data) ? data.meta_data : {};
  const { next_cursor: cursor } = meta;
  // If a page's next cursor pointed to the page itself, the loop would never end.
  const isPage = typeof cursor === "string" && (cursor === "" || cursor !== request.query?.cursor);
  if (!Array.isArray(records) || !isPage) {
    const message = `The response is not a page of ${list}.`;
    throw new DisburseError({ kind: "answer", code: "UNEXPECTED_ANSWER", message, requestId });
  }
  const next = { ...request, query: { ...request.query, cursor } };
  return new Page(records as T[], meta as unknown as PageMeta, () =>
    loadPage(caller, next, list, options),
  );
}
