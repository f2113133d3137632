import { shardCount } from "../../endpoints/rules/shard.ts";

/** The owner of each shard: a process's token, or `null`. */
export type ShardOwners = readonly (string | null)[];

/** What a process should have more, and what it should have no longer. */
export type ShardMoves = { readonly take: readonly number[]; readonly give: readonly number[] };

/** How many shards a process should have: as many as any other, or one more; none if no member. */
export function fairShare(self: string, members: readonly string[]): number {
  const place = members.toSorted().indexOf(self);
  if (place === -1) return 0;
  const rest = shardCount % members.length;
  return Math.floor(shardCount / members.length) + (place < rest ? 1 : 0);
}

/**
 * A member takes shards without a live owner up to its share, and gives back what it has above it:
 * between two live processes a shard is always unowned first.
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
