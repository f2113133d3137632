import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import {
  findCountedPage,
  type PageCursor,
  type PageRequest,
} from "@disburse/chassis/paging/page.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { newId } from "@disburse/kernel/id.ts";
import { deliveryKeptMs } from "../deliveries/documents.ts";
import type { OriginalsCount } from "./originals.ts";
import type { ReplayableState, ReplayTerms, ReplayTransition } from "./rules/replay.ts";

export type ReplayDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  endpoint_id: string;
  since: Date;
  until: Date;
  states: ReplayableState[];
  /** Absent for all types. */
  event_types?: string[];
  rate: number;
  state: ReplayTransition["state"];
  /** The last delivery that the replay has read. */
  cursor: PageCursor | null;
  /**
   * Number of originals in the first 10,000 deliveries of the period. If there are more,
   * `total_capped` is true.
   */
  total: number;
  total_capped: boolean;
  queued_count: number;
  /**
   * The earliest time at which the replay can be claimed. This is the time of the next page, or the
   * end of the lease.
   */
  due_at: Date | null;
  lease: { token: string; place: string } | null;
  created_at: Date;
  updated_at: Date;
  /** Set when the replay ends. The replay is kept as long as its deliveries. */
  expires_at?: Date;
  operation_id: string;
  actor: StoredActor;
  /** The operation that cancelled the replay. */
  cancelled_by?: { operation_id: string; actor: StoredActor };
};

export type ReplayStore = ReturnType<typeof openReplayStore>;

/** Stores each replay as one document. Each change is one write. */
export function openReplayStore({ db }: Database, place: string) {
  const replays = db.collection<ReplayDocument>("replays");

  return {
    collection: replays,

    /**
     * Inserts a replay. Returns `false` if the endpoint has a running replay, or if the operation
     * has already created one.
     */
    insert: (replay: ReplayDocument) => insertOnce(replays, replay),

    find: (merchantId: string, id: string) => replays.findOne({ _id: id, merchant_id: merchantId }),

    findByOperation: (merchantId: string, operationId: string) =>
      replays.findOne({ merchant_id: merchantId, operation_id: operationId }),

    /** Returns a page, newest first, and the total count. */
    list: (merchantId: string, request: PageRequest) =>
      findCountedPage(replays, { merchant_id: merchantId }, request),

    /** Cancels a running replay. Returns the replay in its current state. */
    cancel: async (merchantId: string, id: string, now: Date, { operationId, actor }: Change) => {
      const replay = { _id: id, merchant_id: merchantId };
      const by = { operation_id: operationId, actor };
      const cancelled = await replays.findOneAndUpdate(
        { ...replay, state: "running" },
        { $set: { ...ended("cancelled", now), lease: null, updated_at: now, cancelled_by: by } },
        { returnDocument: "after" },
      );
      return cancelled ?? replays.findOne(replay);
    },

    /** Leases a replay whose next page is due. */
    claim: (leaseToken: string, now: Date, leaseMs: number) =>
      replays.findOneAndUpdate(
        { state: "running", due_at: { $lte: now } },
        {
          $set: {
            lease: { token: leaseToken, place },
            due_at: new Date(now.getTime() + leaseMs),
          },
        },
        { sort: { due_at: 1 }, returnDocument: "after" },
      ),

    /** Ends the leases of a previous process that was killed at this place. */
    freeLeases: async (now: Date): Promise<void> => {
      const left = { state: "running", due_at: { $gt: now }, "lease.place": place } as const;
      await replays.updateMany(left, { $set: { lease: null, due_at: now } });
    },

    /** Writes the progress of a page if the lease still holds. Returns true if it held. */
    settle: async (id: string, leaseToken: string, page: ReplaySettlement): Promise<boolean> => {
      // This also excludes ended replays, because they have no lease.
      const leased = { _id: id, "lease.token": leaseToken };
      const progress = { $set: settledFields(page), $inc: { queued_count: page.queued } };
      return (await replays.updateOne(leased, progress)).matchedCount === 1;
    },
  };
}

export type ReplaySettlement = {
  readonly transition: ReplayTransition;
  readonly queued: number;
  /** The last delivery of the page. `undefined` if the page was empty. */
  readonly last: PageCursor | undefined;
  readonly at: Date;
};

function settledFields({ transition, last, at }: ReplaySettlement) {
  const { state } = transition;
  return {
    ...(state === "running" ? { due_at: transition.nextPageAt } : ended(state, at)),
    ...(last === undefined ? {} : { cursor: last }),
    lease: null,
    updated_at: at,
  };
}

function ended(state: "done" | "cancelled", at: Date) {
  return { state, due_at: null, expires_at: new Date(at.getTime() + deliveryKeptMs) };
}

/** Builds a new replay. If there are no originals, the replay is done at once. */
export function newReplay(
  merchantId: string,
  terms: ReplayTerms,
  { total, isCapped }: OriginalsCount,
  { operationId, actor }: Change,
  now: Date,
): ReplayDocument {
  return {
    _id: newId("replay", now),
    schema_version: 1,
    merchant_id: merchantId,
    endpoint_id: terms.endpointId,
    since: terms.since,
    until: terms.until,
    states: [...terms.states],
    ...(terms.eventTypes.length > 0 && { event_types: [...terms.eventTypes] }),
    rate: terms.rate,
    cursor: null,
    total,
    total_capped: isCapped,
    queued_count: 0,
    lease: null,
    created_at: now,
    updated_at: now,
    ...(total === 0 && !isCapped ? ended("done", now) : { state: "running", due_at: now }),
    ...currentOrigin(),
    operation_id: operationId,
    actor,
  };
}

export function termsOf(replay: ReplayDocument): ReplayTerms {
  const {
    endpoint_id: endpointId,
    since,
    until,
    states,
    event_types: eventTypes = [],
    rate,
  } = replay;
  return { endpointId, since, until, states, eventTypes, rate };
}
