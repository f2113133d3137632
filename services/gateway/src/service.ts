import type { RequestListener } from "node:http";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Db } from "mongodb";
import { createApp } from "./http/app.ts";
import { createAuthenticate } from "./http/authenticate.ts";
import { publicRoutes } from "./http/public-routes.ts";
import { createRateLimiter, type RateLimitOptions } from "./http/rate-limit.ts";
import { freeEnded, openIdempotencyStore, sweep } from "./idempotency/store.ts";
import { createKeyCache } from "./keys/cache.ts";
import { keyService } from "./keys/rpc.ts";
import type { Mode } from "./keys/rules/api-key.ts";
import { addressSet } from "./keys/rules/source-address.ts";
import { findRecord, forgetSecrets, openKeys } from "./keys/store.ts";
import type { Clients } from "./openapi/operation.ts";
import { operations, reference } from "./resources/all.ts";

/** What the gateway is made of. */
export type GatewayDeps = {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly clients: Clients;
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly mode: Mode;
  readonly pepper: Uint8Array;
  /** Where it listens: host and port, which no other gateway that lives has. */
  readonly place: string;
  /** Networks of our own proxies. */
  readonly proxies: readonly string[];
  readonly rateLimit: RateLimitOptions;
  /** A clock that only goes forward, in milliseconds; the process's own when left out. */
  readonly monotonicMs?: () => number;
  readonly answerWithinMs?: number;
  readonly stalledMs?: number;
};

/** The gateway without its sockets: what answers requests, and what serves keys. */
export type Gateway = {
  readonly listener: RequestListener;
  readonly keyService: ServiceImpl<typeof KeyService>;
  /** Frees the idempotency keys that a killed gateway of this place held since before a time. */
  freeEnded(before: Date): Promise<void>;
  /** Deletes and forgets what is past its time; never has more to do at once. */
  sweep(): Promise<boolean>;
};

/** Opens the stores and puts the parts together. */
export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const { db, sealer, clock, log, metrics, mode, pepper } = deps;
  const keys = await openKeys(db);
  const idempotency = await openIdempotencyStore(db, { sealer, clock, place: deps.place });
  const cache = createKeyCache((id) => findRecord(keys, id), deps.monotonicMs);
  const proxies = addressSet(deps.proxies);
  const listener = createApp({
    operations,
    publicRoutes: await publicRoutes({ metrics, readiness: deps.readiness, reference, mode }),
    clients: deps.clients,
    authenticate: createAuthenticate({ keys: cache, mode, pepper, proxies, clock }),
    rateLimiter: createRateLimiter(deps.rateLimit),
    idempotency,
    answerWithinMs: deps.answerWithinMs,
    stalledMs: deps.stalledMs,
    log,
    metrics,
  });
  return {
    listener,
    keyService: keyService({ keys, sealer, pepper, mode, clock, changed: cache.drop }),
    freeEnded: (before) => freeEnded(idempotency, before),
    sweep: async () => {
      await sweep(idempotency);
      await forgetSecrets(keys, clock.now());
      return false;
    },
  };
}
