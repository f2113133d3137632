import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Collection } from "mongodb";
import type { EndpointDocument } from "./documents.ts";
import { resealedKey } from "./keys.ts";
import type { SealedKey } from "./rules/endpoint.ts";

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

/** The sealed keys of an endpoint, deleted or not, as they are at a revision. */
export type SealedKeys = {
  readonly id: string;
  readonly merchantId: string;
  readonly revision: number;
  readonly keys: readonly SealedKey[];
};

export type SealedKeyStore = ReturnType<typeof openSealedKeyStore>;

/** Some 100 KiB; a walk yields to others between two of them. */
const pageSize = 50;

/** All sealed keys, to be sealed anew after a rotation of the encryption's key. */
export function openSealedKeyStore({
  collection: endpoints,
}: {
  readonly collection: Collection<EndpointDocument>;
}) {
  return {
    /** All endpoints, by id, which an endpoint that is made meanwhile comes after. */
    walk: async function* (): AsyncGenerator<SealedKeys> {
      let after = "";
      for (;;) {
        const page = await endpoints
          .find({ _id: { $gt: after } }, { projection: { merchant_id: 1, revision: 1, keys: 1 } })
          .sort({ _id: 1 })
          .limit(pageSize)
          .toArray();
        for (const { _id: id, merchant_id: merchantId, revision, keys } of page) {
          yield { id, merchantId, revision, keys: keys.map(toKey) };
        }
        const last = page.at(-1);
        if (last === undefined) return;
        after = last._id;
      }
    },

    /** Writes them as a revision of their own; answers whether nobody was first. */
    rewrite: async ({ id, revision, keys }: SealedKeys): Promise<boolean> => {
      const { matchedCount } = await endpoints.updateOne(
        { _id: id, revision },
        { $set: { keys: keys.map(keyDocument) }, $inc: { revision: 1 } },
      );
      return matchedCount === 1;
    },
  };
}

type KeyDocument = EndpointDocument["keys"][number];

function toKey({ id, secret, standard_secret, made_at }: KeyDocument): SealedKey {
  return { id, secret, standardSecret: standard_secret, madeAt: made_at };
}

function keyDocument({ id, secret, standardSecret, madeAt }: SealedKey): KeyDocument {
  return { id, secret, standard_secret: standardSecret, made_at: madeAt };
}
