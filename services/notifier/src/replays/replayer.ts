import type { Log } from "@disburse/chassis/log.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { bringForward, makeRedeliveries } from "../deliveries/redelivery-store.ts";
import type { DeliveryStore } from "../deliveries/store.ts";
import { isLive } from "../endpoints/rules/endpoint.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { readOriginals } from "./originals.ts";
import { transitionAfterPage, transitionWhileNotLive } from "./rules/replay.ts";
import { type ReplayDocument, type ReplaySettlement, type ReplayStore, termsOf } from "./store.ts";

type ReplayerDeps = {
  readonly replays: Pick<ReplayStore, "claim" | "settle">;
  readonly deliveries: Pick<DeliveryStore, "collection">;
  readonly endpoints: Pick<EndpointStore, "find">;
  readonly clock: Clock;
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
  /** Wakes the dispatcher, because a delivery is due. */
  readonly wake: () => void;
};

/**
 * Duration of a lease. A page takes less time. After a crash, the replay continues when the lease
 * has expired.
 */
const leaseMs = 30_000;

/**
 * Queues the deliveries of replays page by page. A page is stored before the progress of its
 * replay. The replay and the original determine the operation id of a redelivery. So if a page is
 * repeated, no redelivery is created twice.
 */
export function createReplayer(deps: ReplayerDeps) {
  const { replays, clock, log, tracing } = deps;
  return {
    /** Queues the next page of a due replay. Returns true if a replay was due. */
    round: async (): Promise<boolean> => {
      const leaseToken = crypto.randomUUID();
      const replay = await replays.claim(leaseToken, clock.now(), leaseMs);
      if (replay === null) return false;
      const queueing = { name: "queue replay page", since: replay.created_at };
      await resume(tracing, replay, queueing, async () => {
        const settlement = await sendPage(deps, replay);
        const isWritten = await replays.settle(replay._id, leaseToken, settlement);
        const fields = {
          replay_id: replay._id,
          count: settlement.queued,
          state: settlement.transition.state,
        };
        if (isWritten) log.info(fields, "page of a replay queued");
        else log.warn(fields, "page of a replay dropped: its lease had expired");
      });
      return true;
    },
  };
}

const cancelled = { state: "cancelled" } as const;

async function sendPage(deps: ReplayerDeps, replay: ReplayDocument): Promise<ReplaySettlement> {
  const { deliveries, endpoints, clock, wake } = deps;
  const { merchant_id: merchantId, endpoint_id: endpointId, cursor } = replay;
  const endpoint = await endpoints.find(merchantId, endpointId);
  if (endpoint === undefined || !isLive(endpoint)) {
    const now = clock.now();
    const transition = endpoint === undefined ? cancelled : transitionWhileNotLive(now);
    return { transition, queued: 0, last: undefined, at: now };
  }
  const of = { merchantId, ...termsOf(replay) };
  const page = await readOriginals(deliveries.collection, of, cursor ?? undefined);
  const all = page.originals.map((source) => {
    const operationId = `${replay._id}/${source._id}`;
    return { source, change: { operationId, actor: replay.actor } };
  });
  const isPending = ({ source }: (typeof all)[number]) => source.state === "pending";
  const ended = all.filter((each) => !isPending(each));
  await makeRedeliveries(deliveries.collection, ended, clock.now());
  await bringForward(deliveries.collection, all.filter(isPending), clock.now());
  wake();
  const { last } = page;
  const at = clock.now();
  return {
    transition: transitionAfterPage(page.isLast, at),
    queued: page.originals.length,
    last: last && { at: last.created_at, id: last._id },
    at,
  };
}
