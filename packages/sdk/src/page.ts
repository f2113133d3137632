import type { ApiRequest, Caller, CallOptions } from "./caller.ts";
import { DisburseError } from "./disburse-error.ts";
import { isObject } from "./exact-json.ts";
import type { PageMeta } from "./gen/types.ts";

/** One page of a list; iterated, it yields its records and those of all pages after it. */
export class Page<T> implements AsyncIterable<T> {
  /** The records of this page alone. */
  readonly records: readonly T[];
  /** How many records all pages have, and where the next page begins. */
  readonly meta_data: PageMeta;
  readonly #next: () => Promise<Page<T>>;

  constructor(records: readonly T[], metaData: PageMeta, next: () => Promise<Page<T>>) {
    this.records = records;
    this.meta_data = metaData;
    this.#next = next;
  }

  /** Whether there is a page after this one. */
  get hasNext(): boolean {
    return this.meta_data.next_cursor !== "";
  }

  /** The page after this one; rejects with a `RangeError` after the last. */
  async next(): Promise<Page<T>> {
    if (!this.hasNext) throw new RangeError("this page is the last");
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
 * A requested list: awaited, it is the first page; iterated (`for await`), it yields every
 * record of every page. Nothing is sent before.
 */
export class PageRequest<T> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly [Symbol.toStringTag] = "PageRequest";
  readonly #load: () => Promise<Page<T>>;
  #first: Promise<Page<T>> | undefined;

  constructor(caller: Caller, request: ApiRequest, list: string, options: CallOptions) {
    this.#load = () => loadPage(caller, request, list, options);
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited, as a promise is.
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
  // A cursor that leads to its own page would have a program read it for ever.
  const isPage = typeof cursor === "string" && (cursor === "" || cursor !== request.query?.cursor);
  if (!Array.isArray(records) || !isPage) {
    const message = `An answer is no page of ${list}.`;
    throw new DisburseError({ kind: "answer", code: "UNEXPECTED_ANSWER", message, requestId });
  }
  const next = { ...request, query: { ...request.query, cursor } };
  return new Page(records as T[], meta as unknown as PageMeta, () =>
    loadPage(caller, next, list, options),
  );
}
