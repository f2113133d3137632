import { shardCount } from "../../endpoints/rules/shard.ts";

/** The owner of each shard: a process's token, or `null`. */
export type ShardOwners = readonly (string | null)[];

/** Shards that a process should take, and those that it should give up. */
export type ShardMoves = { readonly take: readonly number[]; readonly give: readonly number[] };

/** Shares differ by at most one shard. A process that is no member gets none. */
export function fairShare(self: string, members: readonly string[]): number {
  const place = members.toSorted().indexOf(self);
  if (place === -1) return 0;
  const rest = shardCount % members.length;
  return Math.floor(shardCount / members.length) + (place < rest ? 1 : 0);
}

/**
 * A member takes unowned shards up to its share, and gives up shards above it. So a shard moving
 * between two live processes is always unowned in between.
 */
export function shardMoves(
  owners: ShardOwners,
  self: string,
  members: readonly string[],
): ShardMoves {
  if (!members.includes(self)) return { take: [], give: [] };
  const alive = new Set(members);
  const share = fairShare(self, members);
  const own = owners.flatMap((owner, shard) => (owner === self ? [shard] : []));
  const free = owners.flatMap((owner, shard) =>
    owner === null || !alive.has(owner) ? [shard] : [],
  );
  return { take: free.slice(0, Math.max(0, share - own.length)), give: own.slice(share) };
}
