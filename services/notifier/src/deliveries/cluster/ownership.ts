import { randomUUID } from "node:crypto";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { shardOf } from "../../endpoints/rules/shard.ts";
import { fairShare, shardMoves } from "../rules/shards.ts";
import type { ShardStore, Shards, Worker } from "./shard-store.ts";

/** A process loses its shards after this time without a heartbeat (webhooks: data). */
export const processLeaseMs = 15_000;
const heartbeatEveryMs = 5_000;
/** A process without a successful heartbeat stops this long before other processes may evict it. */
const marginMs = 1_000;
/**
 * Interval at which a process reads the list of processes. A process takes the shards of an evicted
 * one within this time.
 */
const pollEveryMs = 1_000;
const never = Number.NEGATIVE_INFINITY;

type OwnershipDeps = {
  readonly store: ShardStore;
  /**
   * Identifies the process. A restarted process has the same place and replaces the previous
   * process there.
   */
  readonly place: string;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  /** Returns true while this process has attempts in flight to endpoints of the shard. */
  readonly isBusy: (shard: number) => boolean;
  /** Runs when the process has joined. By then no other process delivers from its place. */
  readonly onJoin: () => Promise<void>;
  /** Runs before this process starts to own the shards. */
  readonly onTake: (shards: readonly number[]) => Promise<void>;
  readonly log: Log;
};

/** The shards that this process owns. The process delivers to their endpoints. */
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
      // The process was evicted after its last heartbeat. Others may own its shards now, so it
      // joins again at once.
      own = new Set();
      heartbeatAt = never;
      return;
    }
    const { take, give } = shardMoves(shards.owners, token, tokens);
    const kept = ownedBy(token, shards).filter((shard) => !give.includes(shard));
    // This process starts no more attempts for the shards that it gives up. A shard is released
    // when its last attempt has ended.
    own = new Set(kept);
    const given = give.filter((shard) => !isBusy(shard));
    isUnsettled = give.length > 0 || kept.length + take.length < fairShare(token, tokens);
    if (take.length + given.length === 0) return;
    await onTake(take);
    const isWritten = await store.write(shards, movedOwners(shards, token, take, given));
    isUnsettled ||= !isWritten;
    if (!isWritten) return;
    own = new Set([...kept, ...take]);
    log.info(
      { taken: take.length, given: given.length, owned: own.size },
      "ownership of delivery shards changed",
    );
  };

  return {
    token: membership.token,
    /** Returns true while this process alone may attempt deliveries to the endpoint. */
    owns: (endpointId: string): boolean =>
      !isLeaving &&
      own.has(shardOf(endpointId)) &&
      elapsed() < heartbeatAt + processLeaseMs - marginMs,
    shardsOwned: (): number => own.size,
    isShared: (): boolean => isShared,
    /**
     * Sends a heartbeat, reads the other processes, and takes or gives up shards. Each of these
     * runs only when it is due.
     */
    round: async (): Promise<void> => {
      const startedAt = elapsed();
      const passedMs = startedAt - polledAt;
      const isLate = startedAt - heartbeatAt >= heartbeatEveryMs;
      if (!isLate && !((isShared || isUnsettled) && passedMs >= pollEveryMs)) return;
      if (isLate) {
        if (!(await membership.heartbeat())) {
          // Must come before the join, because the process owns nothing under its new token.
          own = new Set();
          await membership.join();
        }
        heartbeatAt = startedAt;
      }
      polledAt = startedAt;
      // The shards must be read before the members. A shard's owner joined before it took the
      // shard, so a live owner is among the members.
      const shards = await store.read();
      const members = await membership.watch(passedMs);
      isShared = members.length > 1;
      // The time that the reads take doesn't count as silence of other processes. Their heartbeats
      // may arrive during the reads.
      polledAt = elapsed();
      await move(shards, members);
    },
    /** Stops starting attempts. Keeps the shards until `drained` settles. */
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

/** Sends this process's heartbeats. Evicts processes whose heartbeats have stopped. */
function createMembership({ store, place, onJoin, log }: OwnershipDeps) {
  let seen = new Map<string, { readonly heartbeat: number; readonly silentMs: number }>();
  let token = randomUUID();
  let joined = false;

  /** Returns how long this process has seen no new heartbeat of another process. */
  const silentMs = ({ token: other, heartbeat }: Worker, passedMs: number): number => {
    const previous = seen.get(other);
    if (previous?.heartbeat !== heartbeat) return 0;
    // A long pause between two reads counts as one heartbeat interval. During an outage of the
    // store, no process could send heartbeats.
    return previous.silentMs + Math.min(passedMs, heartbeatEveryMs);
  };

  return {
    token: (): string => token,

    /**
     * Sends a heartbeat. Returns `false` if this process must join, for the first time or again.
     * Others may then own its shards.
     */
    heartbeat: async (): Promise<boolean> => joined && (await store.heartbeat(token)),

    /** Joins under a new token. After an eviction, the new token owns no shards. */
    join: async (): Promise<void> => {
      if (joined) {
        log.warn({}, "this process's lease expired; it joins again under a new token");
        token = randomUUID();
      } else {
        const previous = (await store.members()).filter((worker) => worker.place === place);
        for (const worker of previous) await store.leave(worker.token);
        await onJoin();
      }
      await store.join(token, place);
      joined = true;
    },

    /** Returns all members, including this process. Evicts members whose lease has expired. */
    watch: async (passedMs: number): Promise<readonly Worker[]> => {
      const members: Worker[] = [];
      const now: typeof seen = new Map();
      for (const worker of await store.members()) {
        const silent = silentMs(worker, passedMs);
        const isExpired = worker.token !== token && silent >= processLeaseMs;
        if (isExpired && (await store.evict(worker))) {
          log.warn({ place: worker.place }, "another process was evicted: its lease expired");
        } else {
          members.push(worker);
          now.set(worker.token, { heartbeat: worker.heartbeat, silentMs: silent });
        }
      }
      seen = now;
      return members;
    },

    /**
     * Sends heartbeats until `drained` settles. Then leaves the cluster, even if `drained` rejects.
     */
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
 * Returns the place of a process. After a restart on the same host and port, a process has the same
 * place. For port 0, the place is unique.
 */
export function processPlace(host: string, port: number): string {
  return `${host}:${port === 0 ? randomUUID() : port}`;
}
