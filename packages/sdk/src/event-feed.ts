import type { CallOptions } from "./caller.ts";
import { checkNames } from "./client-options.ts";
import { DisburseError } from "./disburse-error.ts";
import type { WebhookEvents } from "./gen/resources.ts";
import type { WebhookEvent, WebhookEventPage, WebhookEventRecord } from "./gen/types.ts";
import { realTime, type Time } from "./time.ts";

/**
 * An event of the feed; `transaction_type` determines the type of `data`, as in a webhook's body.
 */
export type FeedEvent = Extract<
  WebhookEvent,
  { readonly transaction_type: WebhookEventRecord["transaction_type"] }
> &
  Omit<WebhookEventRecord, "transaction_type" | "transaction_id" | "data">;

/** Options of `eventFeed`, all optional. */
export type EventFeedOptions = {
  /** A `cursor` that you stored from this feed. Defaults to the oldest stored event. */
  readonly after?: string | undefined;
  /** Events per request, 1 to 100; 100 by default. */
  readonly limit?: number | undefined;
  /**
   * Poll interval in milliseconds. If set, the iteration never ends. If unset, the iteration ends
   * after the last event.
   */
  readonly pollMs?: number | undefined;
  /** Aborts the iteration, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

const optionNames = Object.keys({
  after: true,
  limit: true,
  pollMs: true,
  signal: true,
} satisfies Record<keyof EventFeedOptions, true>);

/** The maximum that the platform accepts. */
const limitDefault = 100;

/** The event feed, for iteration with `for await`. A second iteration continues at `cursor`. */
export class EventFeed implements AsyncIterable<FeedEvent> {
  readonly #events: Pick<WebhookEvents, "list">;
  readonly #options: EventFeedOptions;
  readonly #time: Pick<Time, "wait">;
  #cursor: string | undefined;

  constructor(
    events: Pick<WebhookEvents, "list">,
    options: EventFeedOptions,
    time: Pick<Time, "wait"> = realTime,
  ) {
    checkNames(options, optionNames);
    const { pollMs = 1 } = options;
    if (!Number.isInteger(pollMs) || pollMs < 1) {
      throw new TypeError("pollMs must be a whole number of at least 1");
    }
    this.#events = events;
    this.#options = options;
    this.#time = time;
    this.#cursor = options.after;
  }

  /**
   * The position from which to continue after a restart, or `undefined` before the first page.
   * Store the cursor after you have stored the events before it. The cursor advances only when the
   * loop requests the next event after the last one of a page. After a crash, unprocessed events
   * are therefore delivered again.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent, void, undefined> {
    const { pollMs, signal } = this.#options;
    for (;;) {
      const page = await this.#page();
      yield* page.events as FeedEvent[];
      if (page.next_cursor !== "") this.#cursor = page.next_cursor;
      if (page.has_more) continue;
      if (pollMs === undefined) return;
      await this.#time.wait(pollMs, signal);
    }
  }

  async #page(): Promise<WebhookEventPage> {
    const { limit = limitDefault, signal } = this.#options;
    const call: CallOptions = { requestId: crypto.randomUUID(), signal };
    const page = await this.#events.list({ limit, after: this.#cursor }, call);
    const { events, next_cursor: next, has_more: hasMore } = page;
    // If a page's next cursor pointed to the page itself, the loop would never end.
    const moves = !hasMore || (next !== "" && next !== this.#cursor);
    if (Array.isArray(events) && typeof next === "string" && moves) return page;
    const message = "The response is not a page of events.";
    const { requestId = "" } = call;
    throw new DisburseError({ kind: "answer", code: "UNEXPECTED_ANSWER", message, requestId });
  }
}

/**
 * Reads the feed, which contains every event of the last 90 days once, including those that a
 * webhook already delivered. Events of one transaction may be out of order; `onceInOrder` drops
 * outdated and repeated ones.
 *
 * @throws {TypeError} if `pollMs` is not a positive whole number.
 */
export function eventFeed(
  disburse: { readonly webhookEvents: Pick<WebhookEvents, "list"> },
  options: EventFeedOptions = {},
): EventFeed {
  return new EventFeed(disburse.webhookEvents, options);
}
