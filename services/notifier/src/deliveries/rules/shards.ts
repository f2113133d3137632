import { shardCount } from "../../endpoints/rules/shard.ts";

/**
 * The owner of each shard. The value is the token of a process, or `null` if the shard has no
 * owner.
 */
export type ShardOwners = readonly (string | null)[];

/** Shards that a process should take, and those that it should give up. */
export type ShardMoves = { readonly take: readonly number[]; readonly give: readonly number[] };

/**
 * Returns the number of shards that a process should own. The numbers of two members differ by at
 * most one. A process that is not a member gets none.
 */
export function fairShare(self: string, members: readonly string[]): number {
  const place = members.toSorted().indexOf(self);
  if (place === -1) return 0;
  const rest = shardCount % members.length;
  return Math.floor(shardCount / members.length) + (place < rest ? 1 : 0);
}

/**
 * Returns the shards to take and to give up. A member takes shards without an owner up to its
 * share, and gives up shards beyond its share. So a shard that moves between two live processes has
 * no owner in between.
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
