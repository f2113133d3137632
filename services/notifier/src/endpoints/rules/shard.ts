/** Endpoints are spread over so many shards, and shards over processes (webhooks: data). */
export const shardCount = 256;

const fnvOffset = 0x811c_9dc5;
const fnvPrime = 0x0100_0193;

/** The shard of an endpoint, from 0: FNV-1a of its id, its two halves folded. */
export function shardOf(endpointId: string): number {
  let hash = fnvOffset;
  for (let at = 0; at < endpointId.length; at += 1) {
    hash = Math.imul(hash ^ endpointId.charCodeAt(at), fnvPrime);
  }
  return ((hash >>> 16) ^ hash) & (shardCount - 1);
}
