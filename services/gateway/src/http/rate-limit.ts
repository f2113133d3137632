import { TokenBucket } from "limiter";

/** Requests of one API key: how many in a second, and how many at once. */
export type RateLimitOptions = { readonly perSecond: number; readonly burst: number };

/** Counts the requests of each API key. */
export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** More keys than one gateway serves at a time; the one that was idle longest gives way. */
const bucketsMax = 10_000;

/**
 * A token bucket for each API key, in this process. It starts full; a refusal costs no token.
 */
export function createRateLimiter({ perSecond, burst }: RateLimitOptions) {
  const buckets = new Map<string, TokenBucket>();
  const bucketOf = (keyId: string): TokenBucket => {
    let bucket = buckets.get(keyId);
    if (bucket === undefined) {
      const rate = { tokensPerInterval: perSecond, interval: "second" } as const;
      bucket = new TokenBucket({ bucketSize: burst, ...rate });
      bucket.content = burst;
    }
    buckets.delete(keyId);
    buckets.set(keyId, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > bucketsMax && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  };
  return {
    /** Whether a request is admitted, and its rate limit headers. */
    take: (keyId: string) => {
      const bucket = bucketOf(keyId);
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
  };
}
