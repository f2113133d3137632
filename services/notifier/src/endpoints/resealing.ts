import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { resealedKey } from "./keys.ts";
import type { SealedKeyStore, SealedKeys } from "./sealed-key-store.ts";

export type ResealingDeps = {
  readonly sealedKeys: SealedKeyStore;
  readonly sealer: Sealer;
  readonly metrics: Metrics;
  readonly log: Log;
};

/** What a walk over all endpoints found and did. */
export type ResealResult = {
  readonly resealed: number;
  /** Still sealed by an older key: changed by somebody meanwhile, or that key is missing. */
  readonly left: number;
};

/** A process with the settings of before may seal by the older key until it ends. */
const walkEveryMs = 3_600_000;

/** Seals endpoints' secrets anew that an older key sealed, at the start and then every hour. */
export function startResealing(deps: ResealingDeps): Loop {
  const round = createResealing(deps);
  return startLoop({
    name: "webhook-resealing",
    everyMs: walkEveryMs,
    run: async () => {
      await round();
      return false;
    },
    log: deps.log,
  });
}

/**
 * A walk over all endpoints. Each is one write at the revision that was read: a change that comes
 * first keeps its secrets, and they are sealed anew by the next walk. Once nothing is left, the
 * older keys can leave the settings.
 */
export function createResealing(deps: ResealingDeps): () => Promise<ResealResult> {
  const { sealedKeys, log } = deps;
  const leftover = deps.metrics.gauge(
    "disburse_webhook_endpoints_under_older_keys",
    "Endpoints whose secrets need an older encryption key, by the last walk.",
    [],
  );
  return async () => {
    const counts = { resealed: 0, left: 0 };
    for await (const endpoint of sealedKeys.walk()) {
      const ended = await resealEndpoint(deps, endpoint);
      if (ended !== "current") counts[ended] += 1;
    }
    leftover.set(counts.left);
    if (counts.resealed + counts.left > 0) log.info(counts, "endpoint secrets sealed anew");
    return counts;
  };
}

async function resealEndpoint(
  deps: ResealingDeps,
  endpoint: SealedKeys,
): Promise<"current" | "resealed" | "left"> {
  const keys = resealedKeys(deps, endpoint);
  if (keys === undefined) return "left";
  if (keys.every((key, at) => key === endpoint.keys[at])) return "current";
  return (await deps.sealedKeys.rewrite({ ...endpoint, keys })) ? "resealed" : "left";
}

function resealedKeys({ sealer, log }: ResealingDeps, endpoint: SealedKeys) {
  try {
    return endpoint.keys.map((key) => resealedKey(sealer, endpoint, key));
  } catch (error) {
    // The others are sealed anew all the same.
    log.error({ err: error, endpoint_id: endpoint.id }, "endpoint secrets were not opened");
    return undefined;
  }
}
