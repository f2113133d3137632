import type { Log } from "@disburse/chassis/log.ts";
import { shardOf } from "../../endpoints/rules/shard.ts";
import { fairShare, shardMoves } from "../rules/shards.ts";
import { createMembership } from "./membership.ts";
import type { ShardStore, Shards, Worker } from "./shard-store.ts";

/** A process that has not been seen to beat for so long is dead (webhooks: data). */
export const processLeaseMs = 15_000;
const beatEveryMs = 5_000;
/** A process stops by itself so long before others may think it dead. */
const marginMs = 1_000;
/** How often one looks at the others, where there are any: what they leave is taken so soon. */
const lookEveryMs = 1_000;

export type OwnershipDeps = {
  readonly store: ShardStore;
  /** Where this process is: one that was there before is gone. */
  readonly place: string;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  /** Whether attempts to endpoints of a shard are under way here. */
  readonly isBusy: (shard: number) => boolean;
  /** The process has begun, and nobody delivers from its place any more. */
  readonly onJoin: () => Promise<void>;
  /** These shards will be this process's as soon as this is done. */
  readonly onTake: (shards: readonly number[]) => Promise<void>;
  readonly log: Log;
};

export type Ownership = {
  /** Under which this process leases deliveries. */
  token(): string;
  /** Whether this process, and no other, may attempt deliveries to an endpoint now. */
  owns(endpointId: string): boolean;
  shardsOwned(): number;
  /** Whether other processes deliver too. */
  isShared(): boolean;
  /** Beats, looks at the others, takes and gives shards, each when it is time. */
  round(): Promise<void>;
  /**
   * Nothing is attempted from now on. What is under way has until `drained` resolves or rejects;
   * nobody else takes it until then. Then everything is given back.
   */
  leave(drained: Promise<unknown>): Promise<void>;
};

/** Keeps this process's share of the shards. */
export function createOwnership(deps: OwnershipDeps): Ownership {
  const { store, elapsed, isBusy, onTake, log } = deps;
  let beatAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isUnsettled = true;
  let isShared = false;
  let isLeaving = false;
  let own = new Set<number>();
  const membership = createMembership({ ...deps, silenceMs: processLeaseMs, beatEveryMs });

  const move = async (shards: Shards, living: readonly Worker[]): Promise<void> => {
    const token = membership.token();
    const tokens = living.map((worker) => worker.token);
    if (!tokens.includes(token)) {
      // Taken away since the last beat: what it had may be another's, and the next beat is now.
      own = new Set();
      beatAt = Number.NEGATIVE_INFINITY;
      return;
    }
    const { take, give } = shardMoves(shards.owners, token, tokens);
    const kept = shards.owners.flatMap((owner, shard) =>
      owner === token && !give.includes(shard) ? [shard] : [],
    );
    // From now on nothing starts in what is given; it goes when the last attempt there has ended.
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
    owns: (endpointId) =>
      !isLeaving && own.has(shardOf(endpointId)) && elapsed() < beatAt + processLeaseMs - marginMs,
    shardsOwned: () => own.size,
    isShared: () => isShared,
    round: async () => {
      const startedAt = elapsed();
      const passedMs = startedAt - lookedAt;
      const isLate = startedAt - beatAt >= beatEveryMs;
      if (!isLate && !((isShared || isUnsettled) && passedMs >= lookEveryMs)) return;
      if (isLate) {
        if (!(await membership.beat())) {
          // In this order: under a new token it owns nothing yet.
          own = new Set();
          await membership.begin();
        }
        beatAt = startedAt;
      }
      lookedAt = startedAt;
      // In this order: whoever owns a shard had joined, and is among the living if it lives.
      const shards = await store.read();
      const living = await membership.look(passedMs);
      isShared = living.length > 1;
      // What the reading took was no silence: a beat may have come until it was answered.
      lookedAt = elapsed();
      await move(shards, living);
    },
    leave: async (drained) => {
      isLeaving = true;
      await membership.leave(drained);
    },
  };
}

function movedOwners(
  shards: Shards,
  token: string,
  take: readonly number[],
  given: readonly number[],
): (string | null)[] {
  const owners = [...shards.owners];
  for (const shard of take) owners[shard] = token;
  for (const shard of given) owners[shard] = null;
  return owners;
}
