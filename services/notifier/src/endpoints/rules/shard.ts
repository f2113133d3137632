/**
 * Number of shards. A shard is a group of endpoints, and the shards are divided among the processes
 * (webhooks: data).
 */
export const shardCount = 256;

const fnvOffset = 0x811c_9dc5;
const fnvPrime = 0x0100_0193;

/**
 * Returns the number of an endpoint's shard, counted from 0. It is the FNV-1a hash of the id, with
 * the two halves of the hash combined.
 */
export function shardOf(endpointId: string): number {
  let hash = fnvOffset;
  for (let at = 0; at < endpointId.length; at += 1) {
    hash = Math.imul(hash ^ endpointId.charCodeAt(at), fnvPrime);
  }
  return ((hash >>> 16) ^ hash) & (shardCount - 1);
}
