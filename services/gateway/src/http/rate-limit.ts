import { TokenBucket } from "limiter";

/** Limits of one API key or address: the sustained requests per second, and the size of a burst. */
export type RateLimitOptions = { readonly perSecond: number; readonly burst: number };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Maximum buckets. One gateway never serves this many senders at a time. Beyond it, the least
 * recently used bucket is dropped.
 */
const bucketsMax = 10_000;

/**
 * Keeps a token bucket in this process for each API key or address. A new bucket is full. A refused
 * request takes no token.
 */
export function createRateLimiter({ perSecond, burst }: RateLimitOptions) {
  const buckets = new Map<string, TokenBucket>();
  const bucketOf = (name: string): TokenBucket => {
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      const rate = { tokensPerInterval: perSecond, interval: "second" } as const;
      bucket = new TokenBucket({ bucketSize: burst, ...rate });
      bucket.content = burst;
    }
    buckets.delete(name);
    buckets.set(name, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > bucketsMax && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  };
  return {
    /** Returns the decision and its rate limit headers. */
    take: (name: string) => {
      const bucket = bucketOf(name);
      const admitted = bucket.tryRemoveTokens(1);
      const headers: Readonly<Record<string, string>> = {
        "RateLimit-Limit": String(burst),
        "RateLimit-Remaining": String(Math.floor(bucket.content)),
        "RateLimit-Reset": String(Math.ceil((burst - bucket.content) / perSecond)),
      };
      if (admitted) return { admitted, headers };
      const waitSeconds = Math.max(1, Math.ceil(bucket.getWaitTime(1) / 1_000));
      return { admitted, headers: { ...headers, "Retry-After": String(waitSeconds) } };
    },
    /** Returns the token of a request that is not counted after all. */
    giveBack: (name: string): void => {
      const bucket = bucketOf(name);
      bucket.content = Math.min(burst, bucket.content + 1);
    },
  };
}
