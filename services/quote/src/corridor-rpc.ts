import type { MessageShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit } from "@disburse/chassis/paging/cursor.ts";
import { countedTotal, cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type {
  CorridorSchema,
  QuoteService,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { invalidRequest, refused } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { readPairStart, writePairCursor } from "./corridor-page.ts";
import type { CorridorStore } from "./corridor-store.ts";
import { readCorridor, readRate } from "./domain/corridor.ts";
import { accepted } from "./refusals.ts";
import { corridorMessage, rateMessage } from "./wire.ts";

type CorridorRpc = Pick<
  ServiceImpl<typeof QuoteService>,
  "setCorridor" | "setMerchantCorridor" | "setRate" | "listCorridors"
>;

/** A publisher's clock may be ahead of ours by this much; a rate of tomorrow would win for ever. */
const aheadMaxMs = 60_000;
/** A publisher's name fits a line of an audit report. */
const rateSourceMax = 64;

/** The RPCs of corridors and rates, for the operator. */
export function corridorRpc(corridors: CorridorStore, clock: Clock): CorridorRpc {
  return {
    setCorridor: async ({ mutation, corridor }) => {
      const change = readMutation(mutation);
      const terms = readCorridor(corridorText(corridor));
      if (!("source" in terms)) {
        return accepted(invalidRequest(terms));
      }
      const stored = await corridors.set(terms, change, clock.now());
      return { corridor: corridorMessage(stored, await corridors.latestRate(stored.id)) };
    },

    setMerchantCorridor: async ({ mutation, merchantId, corridorId, open }) => {
      const change = readMutation(mutation);
      accepted((await corridors.read(corridorId)) ?? refused("RECORD_NOT_FOUND"));
      await corridors.openTo({ merchantId, corridorId, open }, change, clock.now());
      return {};
    },

    setRate: async ({ mutation, corridorId, rate }) => {
      const change = readMutation(mutation);
      accepted((await corridors.read(corridorId)) ?? refused("RECORD_NOT_FOUND"));
      const decimal = readRate(rate?.rate ?? "");
      const source = cleanText(rate?.source ?? "");
      if (decimal === undefined || source === "" || source.length > rateSourceMax) {
        const problem =
          "rate: a rate above zero with at most 10 decimals and its source are required";
        return accepted(refused("INVALID_REQUEST", problem));
      }
      const asOf = rate?.asOf === undefined ? clock.now() : timestampDate(rate.asOf);
      if (!(asOf.getTime() <= clock.now().getTime() + aheadMaxMs)) {
        return accepted(refused("INVALID_REQUEST", "rate.as_of: must not be in the future"));
      }
      const added = { rate: decimal, asOf, source };
      return { rate: rateMessage(await corridors.addRate(corridorId, added, change, clock.now())) };
    },

    listCorridors: async ({ merchantId, limit: asked, cursor }) => {
      const limit = accepted(readLimit(asked));
      const after = accepted(readPairStart(cursor));
      const { found, count } = await corridors.list(merchantId, { after, limit: limit + 1 });
      const { shown, nextCursor } = cutPageBy(found, limit, writePairCursor);
      const rates = await Promise.all(shown.map(({ id }) => corridors.latestRate(id)));
      const messages = shown.map((corridor, at) => corridorMessage(corridor, rates[at]));
      return { corridors: messages, nextCursor, ...countedTotal(count) };
    },
  };
}

function corridorText(corridor: MessageShape<typeof CorridorSchema> | undefined) {
  return {
    source: corridor?.sourceCurrencyCode ?? "",
    destination: corridor?.destinationCurrencyCode ?? "",
    active: corridor?.active ?? false,
    feeShare: corridor?.feeShare || "0",
    feeFlat: corridor?.feeFlat || "0",
    sourceMin: corridor?.limits?.sourceMin ?? "",
    sourceMax: corridor?.limits?.sourceMax ?? "",
    receivingMin: corridor?.limits?.receivingMin ?? "",
    receivingMax: corridor?.limits?.receivingMax ?? "",
    quoteTtlSeconds: corridor?.quoteTtlSeconds ?? 0,
    rateMaxAgeSeconds: corridor?.rateMaxAgeSeconds ?? 0,
  };
}
