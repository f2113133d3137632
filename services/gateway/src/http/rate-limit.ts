import { TokenBucket } from "limiter";

/** Requests of one API key or address: how many in a second, and how many at once. */
export type RateLimitOptions = { readonly perSecond: number; readonly burst: number };

/** Counts the requests of each API key, or of each address. */
export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** More than one gateway serves at a time; the one that was idle longest gives way. */
const bucketsMax = 10_000;

/**
 * A token bucket for each API key or address, in this process. It starts full; a refusal costs no
 * token.
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
    /** Whether a request is admitted, and its rate limit headers. */
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
    /** For a request that turned out not to count. */
    giveBack: (name: string): void => {
      const bucket = bucketOf(name);
      bucket.content = Math.min(burst, bucket.content + 1);
    },
  };
}
