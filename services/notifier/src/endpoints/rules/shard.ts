/** Number of shards, which group endpoints and are spread over processes (webhooks: data). */
export const shardCount = 256;

const fnvOffset = 0x811c_9dc5;
const fnvPrime = 0x0100_0193;

/** Returns an endpoint's shard from 0: FNV-1a of its id with the two halves folded. */
export function shardOf(endpointId: string): number {
  let hash = fnvOffset;
  for (let at = 0; at < endpointId.length; at += 1) {
    hash = Math.imul(hash ^ endpointId.charCodeAt(at), fnvPrime);
  }
  return ((hash >>> 16) ^ hash) & (shardCount - 1);
}
