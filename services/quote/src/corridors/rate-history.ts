import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { cutPage, readLimit } from "@disburse/chassis/paging/page.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  HistoricRateSchema,
  type QuoteService,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Filter } from "mongodb";
import { corridorMessage, rateMessage } from "./rpc.ts";
import type { Rate } from "./rules/corridor.ts";
import { type RateCursor, readRateStart, writeRateCursor } from "./rules/page.ts";
import {
  activeCorridors,
  type CorridorStore,
  findCorridor,
  type RateDocument,
  rateId,
  toRate,
} from "./store.ts";

export function rateHistoryRpc(corridors: CorridorStore) {
  return {
    listRates: async ({ corridorId, from, to, limit: wanted, cursor }) => {
      const limit = orThrow(readLimit(wanted));
      const after = orThrow(readRateStart(cursor));
      const found = await findCorridor(corridors, { _id: corridorId });
      const corridor = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const span = { from: from && timestampDate(from), to: to && timestampDate(to) };
      const read = await listRates(corridors, corridorId, span, { after, limit: limit + 1 });
      const { shown, nextCursor } = cutPage(read, limit, writeRateCursor);
      const rates = shown.map(historicRateMessage);
      return { corridor: corridorMessage(corridor, undefined), rates, nextCursor };
    },
  } satisfies Partial<ServiceImpl<typeof QuoteService>>;
}

function historicRateMessage(set: HistoricRate) {
  const { receivedAt, actor, approvedBy = "" } = set;
  return create(HistoricRateSchema, {
    rate: rateMessage(set),
    receivedAt: timestampFromDate(receivedAt),
    setBy: { kind: enumValue(Actor_Kind, actor.kind), id: actor.id },
    approvedBy,
  });
}

type HistoricRate = Rate & {
  readonly operationId: string;
  readonly receivedAt: Date;
  readonly actor: StoredActor;
  readonly approvedBy: string | undefined;
};

/** A period of `as_of` times. `from` is inclusive, `to` exclusive. */
type RateSpan = { readonly from: Date | undefined; readonly to: Date | undefined };

/** Lists a corridor's rates, latest first. */
async function listRates(
  { rates }: CorridorStore,
  corridorId: string,
  { from, to }: RateSpan,
  { after, limit }: { readonly after: RateCursor | undefined; readonly limit: number },
): Promise<HistoricRate[]> {
  const bounds: Filter<RateDocument>[] = [
    ...(from === undefined ? [] : [{ as_of: { $gte: from } }]),
    ...(to === undefined ? [] : [{ as_of: { $lt: to } }]),
  ];
  const beyond: Filter<RateDocument>[] =
    after === undefined
      ? []
      : [
          { as_of: { $lte: after.asOf } },
          {
            $or: [
              { as_of: { $lt: after.asOf } },
              { received_at: { $lt: after.receivedAt } },
              {
                received_at: after.receivedAt,
                _id: { $lt: rateId(corridorId, after.operationId) },
              },
            ],
          },
        ];
  const found = rates
    .find({ $and: [{ corridor_id: corridorId }, ...bounds, ...beyond] })
    .sort({ as_of: -1, received_at: -1, _id: -1 })
    .limit(limit);
  return (await found.toArray()).map((document) => ({
    ...toRate(document),
    operationId: document.operation_id,
    receivedAt: document.received_at,
    actor: document.actor,
    approvedBy: document.approved_by,
  }));
}

/**
 * The interval of the gauges. Prometheus scrapes every 15 s, and each run reads one index entry per
 * corridor.
 */
const everyMs = 10_000;
/**
 * The maximum corridors with a gauge. No deployment has more, and Prometheus handles this many
 * labels.
 */
const corridorsMax = 500;

type RateAgeDeps = {
  readonly corridors: CorridorStore;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** Updates the gauges of rate ages. Every process reports the same values. */
export function startRateAges(deps: RateAgeDeps): Loop {
  const read = rateAges(deps);
  const run = () => read().then(() => false);
  return startLoop({ name: "rate-ages", everyMs, run, log: deps.log });
}

/** Reports the rate age of each active corridor. A corridor without a rate reports none. */
export function rateAges({ corridors, metrics, clock }: RateAgeDeps): () => Promise<void> {
  const age = metrics.gauge(
    "disburse_quote_rate_age_seconds",
    "Age of the current exchange rate of an active corridor.",
    ["corridor"],
  );
  const ageMax = metrics.gauge(
    "disburse_quote_rate_max_age_seconds",
    "Maximum age of the exchange rate for new quotes in an active corridor; 0 means no limit.",
    ["corridor"],
  );
  return async () => {
    const active = await activeCorridors(corridors, corridorsMax);
    const now = clock.now().getTime();
    // Removes corridors that were closed since the last run.
    age.reset();
    ageMax.reset();
    for (const { corridor, rateAsOf } of active) {
      const label = { corridor: `${corridor.source}-${corridor.destination}` };
      ageMax.set(label, corridor.rateMaxAgeSeconds);
      if (rateAsOf === undefined) continue;
      age.set(label, Math.max(0, now - rateAsOf.getTime()) / 1_000);
    }
  };
}
