import { randomUUID } from "node:crypto";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { shardOf } from "../../endpoints/rules/shard.ts";
import { fairShare, shardMoves } from "../rules/shards.ts";
import type { ShardStore, Shards, Worker } from "./shard-store.ts";

/** Lease of a process without a heartbeat (webhooks: data). */
export const processLeaseMs = 15_000;
const heartbeatEveryMs = 5_000;
/** A process stops on its own this long before others may evict it. */
const marginMs = 1_000;
/** Interval of reading the other processes, which bounds how soon this one takes their shards. */
const pollEveryMs = 1_000;
const never = Number.NEGATIVE_INFINITY;

type OwnershipDeps = {
  readonly store: ShardStore;
  /** Identifies the process. A restarted process has the same place and succeeds the old one. */
  readonly place: string;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  /** Returns true while attempts to endpoints of the shard are in flight in this process. */
  readonly isBusy: (shard: number) => boolean;
  /** Runs after the process has joined, when no other process delivers from its place. */
  readonly onJoin: () => Promise<void>;
  /** Runs before this process owns the shards. */
  readonly onTake: (shards: readonly number[]) => Promise<void>;
  readonly log: Log;
};

/** The shards whose endpoints this process delivers to. */
export type Ownership = ReturnType<typeof createOwnership>;

export function createOwnership(deps: OwnershipDeps) {
  const { store, elapsed, isBusy, onTake, log } = deps;
  let [heartbeatAt, polledAt] = [never, never];
  let [isUnsettled, isShared, isLeaving] = [true, false, false];
  let own = new Set<number>();
  const membership = createMembership(deps);

  const move = async (shards: Shards, members: readonly Worker[]): Promise<void> => {
    const token = membership.token();
    const tokens = members.map((worker) => worker.token);
    if (!tokens.includes(token)) {
      // Evicted since the last heartbeat. Others may own its shards, so it joins again at once.
      own = new Set();
      heartbeatAt = never;
      return;
    }
    const { take, give } = shardMoves(shards.owners, token, tokens);
    const kept = ownedBy(token, shards).filter((shard) => !give.includes(shard));
    // A shard to give away starts no more attempts; it is released when its last attempt has ended.
    own = new Set(kept);
    const given = give.filter((shard) => !isBusy(shard));
    isUnsettled = give.length > 0 || kept.length + take.length < fairShare(token, tokens);
    if (take.length + given.length === 0) return;
    await onTake(take);
    const isWritten = await store.write(shards, movedOwners(shards, token, take, given));
    isUnsettled ||= !isWritten;
    if (!isWritten) return;
    own = new Set([...kept, ...take]);
    log.info({ taken: take.length, given: given.length, owned: own.size }, "shards moved");
  };

  return {
    token: membership.token,
    /** Returns true while only this process may attempt deliveries to the endpoint. */
    owns: (endpointId: string): boolean =>
      !isLeaving &&
      own.has(shardOf(endpointId)) &&
      elapsed() < heartbeatAt + processLeaseMs - marginMs,
    shardsOwned: (): number => own.size,
    isShared: (): boolean => isShared,
    /** Sends a heartbeat, watches the other processes, takes and gives shards, each when due. */
    round: async (): Promise<void> => {
      const startedAt = elapsed();
      const passedMs = startedAt - polledAt;
      const isLate = startedAt - heartbeatAt >= heartbeatEveryMs;
      if (!isLate && !((isShared || isUnsettled) && passedMs >= pollEveryMs)) return;
      if (isLate) {
        if (!(await membership.heartbeat())) {
          // The order matters: under the new token it owns nothing yet.
          own = new Set();
          await membership.join();
        }
        heartbeatAt = startedAt;
      }
      polledAt = startedAt;
      // The order matters: a shard's owner joined before, so it is among the members if it is
      // alive.
      const shards = await store.read();
      const members = await membership.watch(passedMs);
      isShared = members.length > 1;
      // The time of the reads doesn't count as silence, because heartbeats may arrive during it.
      polledAt = elapsed();
      await move(shards, members);
    },
    /** Starts no more attempts. Keeps its shards until `drained` settles. */
    leave: async (drained: Promise<unknown>): Promise<void> => {
      isLeaving = true;
      await membership.leave(drained);
    },
  };
}

function ownedBy(token: string, { owners }: Shards): number[] {
  return owners.flatMap((owner, shard) => (owner === token ? [shard] : []));
}

function movedOwners(
  { owners }: Shards,
  token: string,
  take: readonly number[],
  given: readonly number[],
): (string | null)[] {
  return owners.map((owner, shard) =>
    take.includes(shard) ? token : given.includes(shard) ? null : owner,
  );
}

/** Sends this process's heartbeats, and evicts processes that send none. */
function createMembership({ store, place, onJoin, log }: OwnershipDeps) {
  let seen = new Map<string, { readonly heartbeat: number; readonly silentMs: number }>();
  let token = randomUUID();
  let joined = false;

  /** Returns how long another process has been watched without a new heartbeat. */
  const silentMs = ({ token: other, heartbeat }: Worker, passedMs: number): number => {
    const previous = seen.get(other);
    if (previous?.heartbeat !== heartbeat) return 0;
    // An outage of the store also stops heartbeats, so a long pause counts as one interval.
    return previous.silentMs + Math.min(passedMs, heartbeatEveryMs);
  };

  return {
    token: (): string => token,

    /** Returns `false` if this process must join (again). Others may then own its shards. */
    heartbeat: async (): Promise<boolean> => joined && (await store.heartbeat(token)),

    /** After an eviction, joins under a new token, which owns nothing. */
    join: async (): Promise<void> => {
      if (joined) {
        log.warn({}, "lease expired, joining again");
        token = randomUUID();
      } else {
        const previous = (await store.members()).filter((worker) => worker.place === place);
        for (const worker of previous) await store.leave(worker.token);
        await onJoin();
      }
      await store.join(token, place);
      joined = true;
    },

    /** Returns all members including this process. Evicts those whose lease expired. */
    watch: async (passedMs: number): Promise<readonly Worker[]> => {
      const members: Worker[] = [];
      const now: typeof seen = new Map();
      for (const worker of await store.members()) {
        const silent = silentMs(worker, passedMs);
        const isExpired = worker.token !== token && silent >= processLeaseMs;
        if (isExpired && (await store.evict(worker))) {
          log.warn({ place: worker.place }, "process evicted, its lease expired");
        } else {
          members.push(worker);
          now.set(worker.token, { heartbeat: worker.heartbeat, silentMs: silent });
        }
      }
      seen = now;
      return members;
    },

    /** Sends heartbeats until `drained` settles, then leaves, even if `drained` rejects. */
    leave: async (drained: Promise<unknown>): Promise<void> => {
      const run = async () => joined && (await store.heartbeat(token)) && false;
      const everyMs = heartbeatEveryMs;
      const heartbeats = startLoop({ name: "webhook-beat", everyMs, run, log });
      try {
        await drained;
      } finally {
        await heartbeats.stop();
        if (joined) await store.leave(token);
      }
    },
  };
}

/**
 * Returns the place of a process. A restart on the same host and port has the same place. Port 0
 * gives a unique place.
 */
export function processPlace(host: string, port: number): string {
  return `${host}:${port === 0 ? randomUUID() : port}`;
}
