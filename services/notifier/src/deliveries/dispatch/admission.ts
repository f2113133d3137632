import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "@disburse/kernel/time.ts";
import { isLive, type Recipient } from "../../endpoints/rules/endpoint.ts";
import type { Ownership } from "../cluster/ownership.ts";
import type { DeliveryDocument } from "../documents.ts";
import type { FreshQueue } from "./fresh-queue.ts";
import type { Limiter } from "./limiter.ts";
import type { Runner } from "./runner.ts";
import { underLease, type WorkStore } from "./work-store.ts";

export type StartDeps = {
  readonly limiter: Limiter;
  readonly ownership: Ownership;
  readonly runner: Runner;
  readonly freshQueue: FreshQueue;
  readonly clock: Clock;
  readonly place: string;
};

type AdmissionDeps = StartDeps & {
  readonly work: Pick<WorkStore, "leased" | "giveBack">;
  /** Wakes the dispatcher, because a delivery is due. */
  readonly wake: () => void;
};

type Endpoints = ReadonlyMap<string, Recipient>;

/**
 * While this many fresh deliveries are in flight, the next batch waits in the broker, for at most 1
 * s.
 */
const freshMax = 160;
const waitMaxMs = 1_000;
const stalledMs = 100;
const pollEveryMs = 5;

/** Starts fresh deliveries directly after their insertion, without claiming them from the store. */
export type Admission = ReturnType<typeof createAdmission>;

/** Leases fresh deliveries when they are inserted, if the limits of their endpoints allow it. */
export function createAdmission(deps: AdmissionDeps) {
  const { limiter, ownership, runner, freshQueue, clock, place, wake } = deps;
  const adopt = createAdoption(deps);

  const isAdmitted = (delivery: DeliveryDocument, endpoint: Recipient | undefined) => {
    const { _id, endpoint_id: endpointId, merchant_id: merchantId, held } = delivery;
    if (held || !ownership.owns(endpointId) || runner.has(_id)) return false;
    if (endpoint === undefined || !isLive(endpoint)) return false;
    return limiter.mayAdmit(limiter.of(endpointId, merchantId));
  };

  return {
    /** Resolves when there may be room for a batch, after 1 s at the latest. */
    waitForCapacity: async (): Promise<void> => {
      const until = performance.now() + waitMaxMs;
      const fresh = () => limiter.inFlight.running - limiter.inFlight.claimed;
      let least = fresh();
      let movedAt = performance.now();
      while (fresh() >= freshMax) {
        await pause(pollEveryMs);
        const now = performance.now();
        if (now >= until || now - movedAt >= stalledMs) return;
        if (fresh() < least) movedAt = now;
        least = Math.min(least, fresh());
      }
    },
    /** Returns the deliveries to insert. Those that can start at once have a lease. */
    admit: (
      fresh: readonly DeliveryDocument[],
      endpoints: Endpoints,
    ): readonly DeliveryDocument[] => {
      const now = clock.now();
      const lease = { token: ownership.token(), place };
      return fresh.map((delivery) => {
        if (!isAdmitted(delivery, endpoints.get(delivery.endpoint_id))) return delivery;
        runner.enter(delivery, false);
        const { pausedMs } = endpoints.get(delivery.endpoint_id) ?? {};
        return underLease(delivery, lease, now, pausedMs);
      });
    },
    /**
     * Starts the admitted deliveries. `there` contains the indices of deliveries that were stored
     * earlier.
     */
    begin: async (
      inserted: readonly DeliveryDocument[],
      there: ReadonlySet<number>,
      endpoints: Endpoints,
    ): Promise<void> => {
      let isDue = false;
      for (const [at, delivery] of inserted.entries()) {
        const endpoint = endpoints.get(delivery.endpoint_id);
        if (delivery.lease !== null) {
          if (there.has(at)) runner.leave(delivery._id);
          else runner.start(delivery, endpoint);
        } else if (!delivery.held && ownership.owns(delivery.endpoint_id)) {
          limiter.due(delivery.endpoint_id);
          const isFresh = !there.has(at) && !runner.has(delivery._id);
          if (isFresh && endpoint !== undefined && isLive(endpoint)) freshQueue.add(delivery);
          isDue = true;
        }
      }
      if (isDue) wake();
      const known = inserted.filter((_each, at) => there.has(at)).map(({ _id }) => _id);
      if (known.length > 0) await adopt(known, endpoints);
    },
    /**
     * Frees the slots after a failed insert. A repeat of the insert finds any deliveries that were
     * written.
     */
    abandon: (admitted: readonly DeliveryDocument[]): void => {
      for (const { _id, lease } of admitted) if (lease !== null) runner.leave(_id);
    },
  };
}

/**
 * Starts deliveries whose insert succeeded with a lease but whose response was lost. Calls run one
 * at a time, so that each delivery starts only once.
 */
function createAdoption(deps: AdmissionDeps) {
  let last: Promise<unknown> = Promise.resolve();
  return (ids: readonly string[], endpoints: Endpoints): Promise<void> => {
    const adopted = last.then(() => adopt(deps, ids, endpoints));
    last = Promise.allSettled([adopted]);
    return adopted;
  };
}

async function adopt(deps: AdmissionDeps, ids: readonly string[], endpoints: Endpoints) {
  const { work, limiter, ownership, runner, freshQueue, clock, place } = deps;
  const lease = { token: ownership.token(), place };
  const read = await work.leased(
    ids.filter((id) => !runner.has(id)),
    lease,
  );
  // Skips a delivery that has a slot, because it was claimed after the read. Skips a delivery with
  // an expired lease, which may have been claimed too.
  const isLeft = ({ _id, due_at: leasedUntil }: DeliveryDocument): boolean =>
    !runner.has(_id) && leasedUntil !== null && leasedUntil > clock.now();
  const waiting: DeliveryDocument[] = [];
  for (const delivery of read.filter(isLeft)) {
    const { endpoint_id: endpointId, merchant_id: merchantId } = delivery;
    if (limiter.mayAdmit(limiter.of(endpointId, merchantId))) {
      runner.enter(delivery, false);
      runner.start(delivery, endpoints.get(endpointId));
    } else {
      waiting.push(delivery);
    }
  }
  // This must run after the loop, because the read is outdated after each await.
  for (const delivery of waiting) {
    if (!isLeft(delivery)) continue;
    const now = clock.now();
    await work.giveBack(delivery, lease, now);
    freshQueue.add({ ...delivery, lease: null, due_at: now });
    limiter.due(delivery.endpoint_id);
  }
}
