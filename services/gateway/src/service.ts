import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { bindOperations, openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import type { Db } from "mongodb";
import { type AppDeps, createApp } from "./http/app.ts";
import { createFileCount } from "./http/files.ts";
import { type PublicRouteDeps, publicRoutes } from "./http/public-routes.ts";
import { createRateLimiter, type RateLimitOptions } from "./http/rate-limit.ts";
import { createStrangers } from "./http/strangers.ts";
import { freeEnded, openIdempotencyStore, sweep } from "./idempotency/store.ts";
import { keyGuards } from "./keys/approvals.ts";
import { openKeyCache } from "./keys/cache.ts";
import { createKeyMatching } from "./keys/matching.ts";
import { assertPeppers, countOlderPeppers, createRehash } from "./keys/peppers.ts";
import { keyService } from "./keys/rpc.ts";
import type { Peppers } from "./keys/rules/peppers.ts";
import { addressSet } from "./keys/rules/source-address.ts";
import { forgetSecrets, openKeys } from "./keys/store.ts";
import { operations, reference } from "./resources/all.ts";

/** What the gateway is made of. */
export type GatewayDeps = Omit<PublicRouteDeps, "reference"> &
  Pick<
    AppDeps,
    "clients" | "clock" | "log" | "metrics" | "tracing" | "answerWithinMs" | "fileTimes"
  > & {
    readonly db: Db;
    readonly peppers: Peppers;
    readonly sealer: Sealer;
    /** Where it listens: host and port, which no other gateway that lives has. */
    readonly place: string;
    /** Networks of our own proxies. */
    readonly proxies: readonly string[];
    /** For each API key. */
    readonly rateLimit: RateLimitOptions;
    /** For each address, of requests without a key that is good. */
    readonly strangersLimit: RateLimitOptions;
    /** For each address, of ids that are no key's. */
    readonly lookupsLimit: RateLimitOptions;
    /** A clock that only goes forward, in milliseconds; the process's own when left out. */
    readonly monotonicMs?: () => number;
  };

/** The gateway without its sockets: what answers requests, what serves keys, what sweeps. */
export async function createGateway(deps: GatewayDeps) {
  const { db, sealer, clock, mode, peppers } = deps;
  const keys = openKeys(db);
  await assertPeppers({ keys, peppers, clock });
  const countOlder = countOlderPeppers({ keys, peppers, clock }, deps.metrics);
  const idempotency = openIdempotencyStore(db, { sealer, clock, place: deps.place });
  const lookups = createRateLimiter(deps.lookupsLimit);
  const cache = openKeyCache(keys, { ...deps, lookups });
  const strangers = createRateLimiter(deps.strangersLimit);
  const listener = createApp({
    ...deps,
    operations,
    publicRoutes: await publicRoutes({ ...deps, reference }),
    keys: cache,
    matches: createKeyMatching(peppers),
    rehash: createRehash({ keys, peppers, changed: cache.drop, log: deps.log }),
    strangers: createStrangers(strangers, addressSet(deps.proxies)),
    rateLimiter: createRateLimiter(deps.rateLimit),
    files: createFileCount(),
    idempotency,
  });
  const issuing = { keys, sealer, peppers, mode, clock, changed: cache.drop };
  const approvals = openApprovals(deps);
  const guarded = approvals.guard(KeyService, keyService(issuing), keyGuards(issuing));
  return {
    listener,
    keyService: bindOperations(KeyService, guarded, openOperationBindings(deps)),
    /** `ApprovalService` of keys, and its sweep. */
    approvals,
    /** Frees the idempotency keys that a killed gateway of this place held since before a time. */
    freeEnded: (before: Date) => freeEnded(idempotency, before),
    /** Deletes and forgets what is past its time; never has more to do at once. */
    sweep: async () => {
      await sweep(idempotency);
      await forgetSecrets(keys, clock.now());
      await countOlder();
      return false;
    },
  };
}
