import type { Client } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";

/** The kind and id of an event. Pages read all other data from the public routes. */
export type FeedEvent = { readonly kind: string; readonly id: string };

export type Follower = (event: FeedEvent) => void;

export type Feeds = ReturnType<typeof createFeeds>;

type Followed = {
  readonly followers: Set<Follower>;
  /** Resolves when the current end of the feed is known. The follower receives all later events. */
  readonly begun: Promise<void>;
  readonly stop: () => void;
};

/** Maximum delay before a page shows an event. */
const pollMsDefault = 1_000;
/** Page size of a read. No merchant has this many events in a second. */
const pageMax = 100;
const callTimeoutMs = 5_000;

/** Maps a transaction type to the name that pages use. */
const kindOf = (transactionType: string): string =>
  transactionType === "payout_session" ? "payout" : transactionType;

/**
 * Follows each merchant's feed once per process and shares the events among the merchant's open
 * pages. A failed read is retried from the same cursor, so no event is lost.
 */
export function createFeeds(deps: {
  readonly notifier: Pick<Client<typeof NotifierService>, "listEvents">;
  readonly log: Log;
  readonly pollMs?: number;
}) {
  const { notifier, log, pollMs = pollMsDefault } = deps;
  const followed = new Map<string, Followed>();
  const read = (request: Parameters<typeof notifier.listEvents>[0]) =>
    withCallContext(
      { requestId: crypto.randomUUID(), deadlineMs: Date.now() + callTimeoutMs },
      () => notifier.listEvents(request),
    );

  const start = (merchantId: string): Followed => {
    const followers = new Set<Follower>();
    let after: string | undefined;
    let isStopped = false;
    let timer: NodeJS.Timeout | undefined;
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const poll = async () => {
      if (after === undefined) {
        after = (await read({ merchantId, atEnd: true })).nextCursor;
        begin();
        return;
      }
      const page = await read({ merchantId, after, limit: pageMax });
      after = page.nextCursor;
      for (const { transactionType, transactionId: id } of page.events) {
        for (const follower of followers) follower({ kind: kindOf(transactionType), id });
      }
    };
    const run = async () => {
      await poll().catch((error: unknown) =>
        log.warn({ err: error }, "reading the event feed for the console failed; retrying"),
      );
      if (!isStopped) timer = setTimeout(run, pollMs);
    };
    run().catch(reportRejection);
    return {
      followers,
      begun,
      stop: () => {
        isStopped = true;
        clearTimeout(timer);
      },
    };
  };

  return {
    /**
     * Calls `begun` when the follower starts to receive events. Returns a function that stops
     * following.
     */
    follow: (merchantId: string, follower: Follower, begun?: () => void): (() => void) => {
      const feed = followed.get(merchantId) ?? start(merchantId);
      followed.set(merchantId, feed);
      feed.followers.add(follower);
      feed.begun.then(begun).catch(reportRejection);
      return () => {
        feed.followers.delete(follower);
        if (feed.followers.size > 0 || followed.get(merchantId) !== feed) return;
        followed.delete(merchantId);
        feed.stop();
      };
    },
  };
}
