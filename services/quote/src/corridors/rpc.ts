import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { assertAsChecked } from "@disburse/chassis/approvals/checked.ts";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { countedTotal, cutPage, readLimit } from "@disburse/chassis/paging/page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type Corridor as CorridorMessage,
  CorridorSchema,
  type Limits as LimitsMessage,
  LimitsSchema,
  type QuoteService,
  RateSchema,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { CurrentCorridors } from "./current.ts";
import type { RailsTo } from "./rails.ts";
import { type RequestDeps, readOpening, readRateRequest, readTerms } from "./requests.ts";
import type { Corridor, CorridorTerms, Rate } from "./rules/corridor.ts";
import { readPairStart, writePairCursor } from "./rules/page.ts";
import {
  addRate,
  isRateAdded,
  latestRate,
  listCorridors,
  setCorridor,
  setMerchantCorridor,
} from "./store.ts";

export type CorridorDeps = RequestDeps & {
  readonly current: CurrentCorridors;
  readonly railsTo: RailsTo;
  readonly clock: Clock;
};

export function corridorsRpc(deps: CorridorDeps) {
  const { corridors, current, railsTo, clock } = deps;
  return {
    setCorridor: async ({ mutation, corridor }) => {
      const change = readMutation(mutation);
      const terms = await readTerms(deps, corridor);
      const stored = await setCorridor(corridors, terms, change, clock.now());
      current.corridorChanged(stored.source, stored.destination);
      return { corridor: corridorMessage(stored, await latestRate(corridors, stored.id)) };
    },

    setMerchantCorridor: async (request) => {
      const change = readMutation(request.mutation);
      const { merchantId, corridorId } = request;
      const open = await readOpening(deps, request);
      await setMerchantCorridor(corridors, { merchantId, corridorId, open }, change, clock.now());
      current.openingChanged(merchantId, corridorId);
      return {};
    },

    setRate: async ({ mutation, corridorId, rate }) => {
      const change = readMutation(mutation);
      const added = await readRateRequest(deps, { corridorId, rate });
      // Rates are only appended, so no write can depend on the rate in force. Another rate can come
      // between this comparison and the insert.
      if (!(await isRateAdded(corridors, change.operationId))) {
        assertAsChecked(describeRate(await latestRate(corridors, corridorId)));
      }
      const first = await addRate(corridors, { corridorId, rate: added }, change, clock.now());
      current.rateChanged(corridorId);
      return { rate: rateMessage(first) };
    },

    listCorridors: async ({ merchantId, limit: wanted, cursor }) => {
      const limit = orThrow(readLimit(wanted));
      const after = orThrow(readPairStart(cursor));
      const page = { after, limit: limit + 1 };
      const { found, count } = await listCorridors(corridors, merchantId, page);
      const { shown, nextCursor } = cutPage(found, limit, writePairCursor);
      const rails = await railsTo(shown.map(({ destination }) => destination));
      const messages = shown.map((corridor) => {
        const paidBy = [...(rails.get(corridor.destination) ?? [])];
        return { ...corridorMessage(corridor, corridor.rate), rails: paidBy };
      });
      return { corridors: messages, nextCursor, ...countedTotal(count) };
    },
  } satisfies Partial<ServiceImpl<typeof QuoteService>>;
}

/** Describes the rate in force for an approver. */
export function describeRate(rate: Rate | undefined): string {
  return rate === undefined ? "" : JSON.stringify({ rate: formatDecimal(rate.rate) });
}

export function rateMessage(rate: Rate) {
  return create(RateSchema, {
    rate: formatDecimal(rate.rate),
    asOf: timestampFromDate(rate.asOf),
    source: rate.source,
  });
}

export function limitsMessage({ source, destination, limits }: CorridorTerms): LimitsMessage {
  const text = (minor: bigint | undefined, currency: string) =>
    minor === undefined ? "" : formatAmount(minor, currency);
  return create(LimitsSchema, {
    sourceMin: text(limits.sourceMin, source),
    sourceMax: text(limits.sourceMax, source),
    receivingMin: text(limits.receivingMin, destination),
    receivingMax: text(limits.receivingMax, destination),
  });
}

export function corridorMessage(corridor: Corridor, rate: Rate | undefined): CorridorMessage {
  return create(CorridorSchema, {
    ...corridor,
    sourceCurrencyCode: corridor.source,
    destinationCurrencyCode: corridor.destination,
    feeShare: formatDecimal(corridor.fee.share),
    feeFlat: formatAmount(corridor.fee.flatMinor, corridor.source),
    limits: limitsMessage(corridor),
    returnCharges: enumValue(ReturnCharges, corridor.returnCharges),
    ...(rate === undefined ? {} : { rate: rateMessage(rate) }),
  });
}
