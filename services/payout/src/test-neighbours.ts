import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import {
  BeneficiaryService,
  type ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  QuoteService,
  QuoteState,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { SentTexts } from "./payouts/rules/payout.ts";

/** A quote of the stand-in for the quote service; it is claimed as the real one is. */
export type StandInQuote = {
  merchantId: string;
  accountId: string;
  amount: string;
  corridorOpen: boolean;
  expiresAt: Date;
  state: QuoteState;
  returnCharges?: ReturnCharges;
  claim?: SentTexts & { payoutId: string; operationId: string; claimedAt: Date };
};

/** The one merchant that is not registered. */
export const unknownMerchantId = "mer_unknown";

/** The quote and the beneficiary service as the payout service sees them. */
export function standIns(
  quotes: Map<string, StandInQuote>,
  faults: { claim: () => void; afterClaim: () => void },
  world: { screening: ScreeningStatus; isBeneficiaryGone: boolean; isRegistryAway: boolean },
) {
  const found = (id: string) => {
    const quote = quotes.get(id);
    if (quote === undefined) throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
    return quote;
  };
  return createRouterTransport(({ service }) => {
    service(QuoteService, {
      getClaimableQuote: ({ quoteId }) => {
        const quote = found(quoteId);
        return {
          ...quoteResponse(quoteId, quote),
          corridorOpen: quote.corridorOpen,
          limits: { sourceMin: "1.00", sourceMax: "1000.00" },
          now: timestampFromDate(new Date()),
        };
      },
      claimQuote: ({ quoteId, payoutId, mutation, ...asked }) => {
        faults.claim();
        const quote = found(quoteId);
        const claimedAt = new Date();
        if (quote.state === QuoteState.OPEN && claimedAt >= quote.expiresAt) {
          quote.state = QuoteState.EXPIRED;
        }
        if (quote.state === QuoteState.EXPIRED) {
          throw refusalError(publicRefusals, refused("QUOTE_EXPIRED"));
        }
        const operationId = mutation?.operationId ?? "";
        const { referenceId, remittanceInformation, purposeCode } = asked;
        const texts = { referenceId, remittanceInformation, purposeCode };
        quote.claim ??= { payoutId, ...texts, operationId, claimedAt };
        quote.state = QuoteState.CLAIMED;
        faults.afterClaim();
        return quoteResponse(quoteId, quote);
      },
    });
    /** Each merchant of a quote has one beneficiary, of this id. */
    const findOwn = ({ merchantId, beneficiaryId: id }: Record<string, unknown>) => {
      const isMerchant = [...quotes.values()].some((quote) => quote.merchantId === merchantId);
      if (world.isBeneficiaryGone || !isMerchant || id !== "ben_1") {
        throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
      }
    };
    service(BeneficiaryService, {
      getMerchant: ({ merchantId: id }) => {
        if (world.isRegistryAway) throw unavailable();
        if (id === unknownMerchantId) {
          throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
        }
        return { merchant: { id, name: "Acme" } };
      },
      getBeneficiary: (asked) => {
        findOwn(asked);
        return { beneficiary: { id: asked.beneficiaryId, screeningStatus: world.screening } };
      },
      getPaymentInstruction: (asked) => {
        findOwn(asked);
        return {
          accountNumber: "123456781234",
          transferMethod: "ACH",
          beneficiaryName: "Ada Lovelace",
          screeningStatus: world.screening,
        };
      },
    });
  });
}

function quoteResponse(id: string, quote: StandInQuote) {
  const { claim } = quote;
  return {
    quote: {
      id,
      merchantId: quote.merchantId,
      accountId: quote.accountId,
      corridorId: "cor_1",
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: "USD",
      sourceAmount: quote.amount,
      convertedAmount: quote.amount,
      receivingAmount: quote.amount,
      totalFees: "0.00",
      exchangeRate: "1",
      returnCharges: quote.returnCharges ?? ReturnCharges.UNSPECIFIED,
      beneficiary: {
        id: "ben_1",
        name: "Ada Lovelace",
        accountNumberMasked: "********1234",
        transferMethod: "ACH",
      },
      state: quote.state,
      expiredAt: timestampFromDate(quote.expiresAt),
    },
    ...(claim && { claim: { ...claim, claimedAt: timestampFromDate(claim.claimedAt) } }),
  };
}

/** What an unreachable service looks like to its caller. */
export function unavailable(): ConnectError {
  return new ConnectError("away", Code.Unavailable);
}
