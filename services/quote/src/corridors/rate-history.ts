import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { cutPage, readLimit } from "@disburse/chassis/paging/page.ts";
import { valueOfWord } from "@disburse/chassis/rpc/enum-words.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  HistoricRateSchema,
  type QuoteService,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Filter } from "mongodb";
import { corridorMessage, rateMessage } from "./rpc.ts";
import type { Rate } from "./rules/corridor.ts";
import { type RateCursor, readRateStart, writeRateCursor } from "./rules/page.ts";
import { type CorridorStore, findCorridor, type RateDocument, rateId, toRate } from "./store.ts";

/** The RPC of the rates that were set for a corridor. */
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
    setBy: { kind: valueOfWord(Actor_Kind, actor.kind), id: actor.id },
    approvedBy,
  });
}

/** A rate with when it came and who set it. */
type HistoricRate = Rate & {
  readonly operationId: string;
  readonly receivedAt: Date;
  readonly actor: StoredActor;
  readonly approvedBy: string | undefined;
};

/** A span of `as_of`: `from` inclusive, `to` exclusive. */
type RateSpan = { readonly from: Date | undefined; readonly to: Date | undefined };

/** The rates of a corridor: the one in force first, then those before it. */
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
