import { randomUUID } from "node:crypto";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { ShardStore, Worker } from "./shard-store.ts";

export type MembershipDeps = {
  readonly store: ShardStore;
  readonly place: string;
  /** Without a beat for so long another process is dead. */
  readonly silenceMs: number;
  readonly beatEveryMs: number;
  readonly onJoin: () => Promise<void>;
  readonly log: Log;
};

/** This process among those that deliver: it beats, and sees whether the others do. */
export function createMembership(deps: MembershipDeps) {
  const { store, place, silenceMs, onJoin, log } = deps;
  const silence = createSilence(deps.beatEveryMs);
  let token = crypto.randomUUID();
  let joined = false;

  return {
    token: (): string => token,

    /** `false` when this process must begin (anew): others may have what it had. */
    beat: async (): Promise<boolean> => joined && (await store.beat(token)),

    /** Joins, under a new token where it had joined before: it may have nothing at that moment. */
    begin: async (): Promise<void> => {
      if (joined) {
        log.warn({}, "taken for dead by another process, beginning anew");
        token = crypto.randomUUID();
      } else {
        const before = (await store.living()).filter((worker) => worker.place === place);
        for (const worker of before) await store.leave(worker.token);
        await onJoin();
      }
      await store.join(token, place);
      joined = true;
    },

    /** All that live, this process among them; `passedMs` since the last look. */
    look: async (passedMs: number): Promise<readonly Worker[]> => {
      const living: Worker[] = [];
      for (const worker of await store.living()) {
        const isDead = worker.token !== token && silence.of(worker, passedMs) >= silenceMs;
        const isBuried = isDead && (await store.bury(worker)).deletedCount === 1;
        if (isBuried) log.warn({ place: worker.place }, "a process is taken for dead");
        else living.push(worker);
      }
      silence.keep(living);
      return living;
    },

    /** Leaves in any case, and beats until `drained` has resolved or rejected. */
    leave: async (drained: Promise<unknown>): Promise<void> => {
      const run = async () => {
        if (joined) await store.beat(token);
        return false;
      };
      const everyMs = deps.beatEveryMs;
      const beats = startLoop({ name: "webhook-beat", everyMs, run, log });
      try {
        await drained;
      } finally {
        await beats.stop();
        if (joined) await store.leave(token);
      }
    },
  };
}

/** For how long each of the others has been seen without a beat. */
function createSilence(beatEveryMs: number) {
  const seen = new Map<string, { beat: number; silentMs: number }>();
  return {
    of: ({ token, beat }: Worker, passedMs: number): number => {
      const before = seen.get(token);
      // While the store was away nobody could beat: a long time without a look counts for little.
      const silentMs =
        before?.beat === beat ? before.silentMs + Math.min(passedMs, beatEveryMs) : 0;
      seen.set(token, { beat, silentMs });
      return silentMs;
    },
    keep: (living: readonly Worker[]): void => {
      const alive = new Set(living.map(({ token }) => token));
      for (const token of seen.keys()) if (!alive.has(token)) seen.delete(token);
    },
  };
}

/**
 * Where a process is, for those beside it: who starts at a place is the successor of who was there.
 * A port that the system chooses is known too late and means nothing after a restart, so such a
 * process has a place that nobody else ever has.
 */
export function processPlace(host: string, port: number): string {
  return `${host}:${port === 0 ? randomUUID() : port}`;
}
