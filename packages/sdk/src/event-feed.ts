import type { CallOptions } from "./caller.ts";
import { DisburseError } from "./disburse-error.ts";
import type { WebhookEvents } from "./gen/resources.ts";
import type { WebhookEvent, WebhookEventPage, WebhookEventRecord } from "./gen/types.ts";
import { realTime, type Time } from "./time.ts";

/** A record of the feed; `transaction_type` says what its data is, as of a webhook's body. */
export type FeedEvent = Extract<
  WebhookEvent,
  { readonly transaction_type: WebhookEventRecord["transaction_type"] }
> &
  Omit<WebhookEventRecord, "transaction_type" | "transaction_id" | "data">;

/** Where the feed is read from, and how far. */
export type EventFeedOptions = {
  /** A stored `cursor` of this feed; the oldest event that is kept when left out. */
  readonly after?: string | undefined;
  /** Events in one request, 1 to 100; 100 when left out. */
  readonly limit?: number | undefined;
  /** Looks for more so often, in milliseconds, and never ends; left out, ends after the last. */
  readonly pollMs?: number | undefined;
  /** Ends the reading: the loop then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

/** The most events that one request takes. */
const limitDefault = 100;

/**
 * The feed of events, to iterate over (`for await`). Iterated again it goes on where `cursor` is.
 */
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
    const { pollMs = 1 } = options;
    if (!Number.isInteger(pollMs) || pollMs < 1) {
      throw new TypeError("pollMs has to be a whole number from 1");
    }
    this.#events = events;
    this.#options = options;
    this.#time = time;
    this.#cursor = options.after;
  }

  /**
   * Where to go on after a restart: store it once the events before are stored. It moves when the
   * loop asks for the event after a page's last, so that what was not worked on comes again.
   * `undefined` before the first page.
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
    // A cursor that leads to its own page would have a program read it for ever.
    const moves = !hasMore || (next !== "" && next !== this.#cursor);
    if (Array.isArray(events) && typeof next === "string" && moves) return page;
    const message = "An answer is no page of events.";
    const { requestId = "" } = call;
    throw new DisburseError({ kind: "answer", code: "UNEXPECTED_ANSWER", message, requestId });
  }
}

/**
 * Reads the feed: every event of the last 90 days once, whether webhooks brought it or not. Events
 * of one transaction may be out of order in it; `onceInOrder` drops what is late or known.
 */
export function eventFeed(
  disburse: { readonly webhookEvents: Pick<WebhookEvents, "list"> },
  options: EventFeedOptions = {},
): EventFeed {
  return new EventFeed(disburse.webhookEvents, options);
}
