import { toJsonString } from "@bufbuild/protobuf";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import {
  CorridorSchema,
  CorridorTermsSchema,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { type Decimal, formatDecimal } from "@disburse/kernel/decimal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type RequestDeps, readOpening, readRateRequest, readTerms } from "./requests.ts";
import { corridorMessage, type corridorsRpc, describeRate } from "./rpc.ts";
import { movesMoreThan, readRate } from "./rules/corridor.ts";
import { findCorridor, isOpenTo, latestRate, ratesToCompare } from "./store.ts";

/** The limits up to which one operator may make changes without approval. */
export type CorridorLimits = {
  /** Largest move of a rate within a day, as a share: 0.1 is a tenth. */
  readonly rateMove: Decimal;
  readonly corridors: boolean;
};

type CorridorsRpc = ReturnType<typeof corridorsRpc>;

/** Requires approval for large rate moves and for corridor changes. */
export function corridorGuards(
  deps: RequestDeps & { readonly limits: CorridorLimits; readonly clock: Clock },
): Guards<Pick<CorridorsRpc, "setRate" | "setCorridor" | "setMerchantCorridor">> {
  const { corridors, limits, clock } = deps;
  const approvers = ["treasury_approver"] as const;
  return {
    setRate: {
      approvers,
      difference: async ({ corridorId, rate }) => {
        return {
          before: describeRate(await latestRate(corridors, corridorId)),
          after: JSON.stringify({ corridorId, rate: rate?.rate, source: rate?.source }),
        };
      },
      reasons: async ({ corridorId, rate }) => {
        const wanted = readRate(rate?.rate ?? "");
        // No approval is needed, because the RPC itself rejects a malformed request.
        if (wanted === undefined) return [];
        const compared = await ratesToCompare(corridors, corridorId, clock.now());
        const far = compared.find((from) => movesMoreThan(limits.rateMove, from, wanted));
        if (far === undefined) return [];
        const [share, from] = [formatDecimal(limits.rateMove), formatDecimal(far)];
        return [`the request moves the rate by more than ${share} of ${from} within a day`];
      },
      check: async (request) => void (await readRateRequest(deps, request)),
    },
    setCorridor: {
      approvers,
      difference: async ({ corridor }) => {
        const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = corridor ?? {
          sourceCurrencyCode: "",
          destinationCurrencyCode: "",
        };
        const found = await findCorridor(corridors, { source, destination });
        const before = found && toJsonString(CorridorSchema, corridorMessage(found, undefined));
        const after = corridor === undefined ? "" : toJsonString(CorridorTermsSchema, corridor);
        return { before: before ?? "", after };
      },
      reasons: async () => (limits.corridors ? [] : ["the request changes a corridor"]),
      check: async ({ corridor }) => void (await readTerms(deps, corridor)),
    },
    setMerchantCorridor: {
      approvers,
      difference: async ({ merchantId, corridorId, open }) => ({
        before: JSON.stringify({ open: await isOpenTo(corridors, merchantId, corridorId) }),
        after: JSON.stringify({ merchantId, corridorId, open }),
      }),
      // Closing stops payments, so one operator may do it at once.
      reasons: async ({ open }) =>
        limits.corridors || !open ? [] : ["the request opens a corridor to a merchant"],
      check: async (request) => void (await readOpening(deps, request)),
    },
  };
}
