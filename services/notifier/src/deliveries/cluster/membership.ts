import { randomUUID } from "node:crypto";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { ShardStore, Worker } from "./shard-store.ts";

type MembershipDeps = {
  readonly store: ShardStore;
  readonly place: string;
  /** The lease of a process without a heartbeat expires after this. */
  readonly leaseMs: number;
  readonly heartbeatEveryMs: number;
  readonly onJoin: () => Promise<void>;
  readonly log: Log;
};

/** This process's membership: sends heartbeats, and evicts processes that send none. */
export function createMembership(deps: MembershipDeps) {
  const { store, place, leaseMs, heartbeatEveryMs, onJoin, log } = deps;
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
        const isExpired = worker.token !== token && silent >= leaseMs;
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

/**
 * The place of a process: one that starts at a place succeeds the one that was there. A port that
 * the system chooses means nothing after a restart, so such a process has a place of its own.
 */
export function processPlace(host: string, port: number): string {
  return `${host}:${port === 0 ? randomUUID() : port}`;
}
