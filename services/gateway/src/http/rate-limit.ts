import { TokenBucket } from "limiter";

/** Requests per second, and per burst, of one API key or address. */
export type RateLimitOptions = { readonly perSecond: number; readonly burst: number };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** More senders than one gateway serves at a time. The least recently used bucket is dropped. */
const bucketsMax = 10_000;

/**
 * Keeps a token bucket for each API key or address in this process. A bucket starts full. A refusal
 * costs no token.
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
    /** Returns a token for a request that does not count after all. */
    giveBack: (name: string): void => {
      const bucket = bucketOf(name);
      bucket.content = Math.min(burst, bucket.content + 1);
    },
  };
}
