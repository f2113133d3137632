import { randomUUID } from "node:crypto";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { shardOf } from "../../endpoints/rules/shard.ts";
import { fairShare, shardMoves } from "../rules/shards.ts";
import type { ShardStore, Shards, Worker } from "./shard-store.ts";

/** The lease of a process without a heartbeat expires after this (webhooks: data). */
export const processLeaseMs = 15_000;
const heartbeatEveryMs = 5_000;
/** A process stops by itself so long before others may evict it. */
const marginMs = 1_000;
/** How often a process looks at the others: so soon it takes what they leave. */
const lookEveryMs = 1_000;
const never = Number.NEGATIVE_INFINITY;

type OwnershipDeps = {
  readonly store: ShardStore;
  /** Where this process is; it succeeds the process that was there. */
  readonly place: string;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** Whether attempts to endpoints of a shard are in flight here. */
  readonly isBusy: (shard: number) => boolean;
  /** The process has joined, and no other one delivers from its place. */
  readonly onJoin: () => Promise<void>;
  /** Runs before this process owns these shards. */
  readonly onTake: (shards: readonly number[]) => Promise<void>;
  readonly log: Log;
};

/** The shards, and so the endpoints, that this process delivers to. */
export type Ownership = ReturnType<typeof createOwnership>;

/** Keeps this process's share of the shards. */
export function createOwnership(deps: OwnershipDeps) {
  const { store, elapsed, isBusy, onTake, log } = deps;
  let [heartbeatAt, lookedAt] = [never, never];
  let [isUnsettled, isShared, isLeaving] = [true, false, false];
  let own = new Set<number>();
  const membership = createMembership(deps);

  const move = async (shards: Shards, members: readonly Worker[]): Promise<void> => {
    const token = membership.token();
    const tokens = members.map((worker) => worker.token);
    if (!tokens.includes(token)) {
      // Evicted since the last heartbeat: others may own its shards, and it joins again at once.
      own = new Set();
      heartbeatAt = never;
      return;
    }
    const { take, give } = shardMoves(shards.owners, token, tokens);
    const kept = ownedBy(token, shards).filter((shard) => !give.includes(shard));
    // Nothing starts in a shard that is given from now on; it goes when its last attempt has ended.
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
    /** Whether this process alone may attempt deliveries to an endpoint now. */
    owns: (endpointId: string): boolean =>
      !isLeaving &&
      own.has(shardOf(endpointId)) &&
      elapsed() < heartbeatAt + processLeaseMs - marginMs,
    shardsOwned: (): number => own.size,
    isShared: (): boolean => isShared,
    /** Sends a heartbeat, watches the others, takes and gives shards, each when it is due. */
    round: async (): Promise<void> => {
      const startedAt = elapsed();
      const passedMs = startedAt - lookedAt;
      const isLate = startedAt - heartbeatAt >= heartbeatEveryMs;
      if (!isLate && !((isShared || isUnsettled) && passedMs >= lookEveryMs)) return;
      if (isLate) {
        if (!(await membership.heartbeat())) {
          // In this order: under a new token it owns nothing yet.
          own = new Set();
          await membership.join();
        }
        heartbeatAt = startedAt;
      }
      lookedAt = startedAt;
      // In this order: the owner of a shard had joined, and is among the members if it lives.
      const shards = await store.read();
      const members = await membership.watch(passedMs);
      isShared = members.length > 1;
      // The time of the reads was no silence: a heartbeat may have come until they were answered.
      lookedAt = elapsed();
      await move(shards, members);
    },
    /** Starts nothing more, and keeps its shards until `drained` settles. */
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

/** This process's membership: sends heartbeats, and evicts processes that send none. */
function createMembership({ store, place, onJoin, log }: OwnershipDeps) {
  let seen = new Map<string, { readonly heartbeat: number; readonly silentMs: number }>();
  let token = randomUUID();
  let joined = false;

  /** For how long another process has been watched without a heartbeat. */
  const silentMs = ({ token: other, heartbeat }: Worker, passedMs: number): number => {
    const before = seen.get(other);
    if (before?.heartbeat !== heartbeat) return 0;
    // No process could send one while the store was away: a long pause counts as one interval.
    return before.silentMs + Math.min(passedMs, heartbeatEveryMs);
  };

  return {
    token: (): string => token,

    /** `false`: this process must join (again), and others may own its shards. */
    heartbeat: async (): Promise<boolean> => joined && (await store.heartbeat(token)),

    /** Joins; under a new token after an eviction, for it must own nothing then. */
    join: async (): Promise<void> => {
      if (joined) {
        log.warn({}, "lease expired, joining again");
        token = randomUUID();
      } else {
        const before = (await store.members()).filter((worker) => worker.place === place);
        for (const worker of before) await store.leave(worker.token);
        await onJoin();
      }
      await store.join(token, place);
      joined = true;
    },

    /** All members, this process included; evicts those whose lease expired. */
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

    /** Sends heartbeats until `drained` settles, then leaves, also where it rejects. */
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

/** The place of a process, whose next one succeeds it; port 0 is a place of this process's own. */
export function processPlace(host: string, port: number): string {
  return `${host}:${port === 0 ? randomUUID() : port}`;
}
