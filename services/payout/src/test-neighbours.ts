import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import {
  type PublicRefusal,
  publicRefusals,
  refusalError,
  refusalMessage,
} from "@disburse/chassis/rpc/refusal.ts";
import {
  BeneficiaryService,
  type ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  QuoteService,
  QuoteState,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { formatAmount, readAmount } from "@disburse/kernel/money.ts";
import { refused } from "@disburse/kernel/refusal.ts";

/** A quote of the fake quote service. Claims work as in the real service. */
export type StandInQuote = {
  merchantId: string;
  accountId: string;
  amount: string;
  /** The beneficiary's name; Ada Lovelace by default. */
  name?: string;
  corridorOpen: boolean;
  expiresAt: Date;
  state: QuoteState;
  returnCharges?: ReturnCharges;
  claim?: { payoutId: string; order: Uint8Array; operationId: string; claimedAt: Date };
  /** The operation that requested the quote, if any. */
  operationId?: string;
  beneficiaryId?: string;
  /** Keys of the paid account. The default is an account of the beneficiary. */
  destinationKeys?: string[];
  isReceivingFixed?: boolean;
  source?: string;
  reissueOf?: string;
};

/** The only merchant that is not registered. */
export const unknownMerchantId = "mer_unknown";

/** Fakes the quote service and the beneficiary service. */
export function standIns(
  quotes: Map<string, StandInQuote>,
  faults: { claim: () => void; afterClaim: () => void },
  world: {
    screening: ScreeningStatus;
    isBeneficiaryGone: boolean;
    isRegistryAway: boolean;
    /** The refusal of new quotes, or their cost if it differs from the requested amount. */
    quoting: { refusal?: PublicRefusal; cost?: string; expiresAt?: Date };
    /** The creation time of beneficiaries. */
    beneficiarySince: Date;
    /** The value of one unit of another currency in whole USD. If absent, there is no rate. */
    worth: Readonly<Record<string, bigint>>;
    /** The offset of the quote service's clock. */
    quoteOffsetMs: number;
  },
) {
  const found = (id: string) => {
    const quote = quotes.get(id);
    if (quote === undefined) throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
    return quote;
  };
  return createRouterTransport(({ service }) => {
    service(QuoteService, {
      createQuote: ({ mutation, merchantId, accountId, ...request }) => {
        const operationId = mutation?.operationId ?? "";
        const first = [...quotes].find(([, each]) => each.operationId === operationId);
        if (first !== undefined) return quoteResponse(...first);
        const { refusal, cost, expiresAt = new Date(Date.now() + 300_000) } = world.quoting;
        if (refusal !== undefined) throw refusalError(publicRefusals, refused(refusal));
        const amount = cost ?? (request.sourceAmount || request.receivingAmount);
        const id = newId("quote");
        const terms = { merchantId, accountId, amount, corridorOpen: true, expiresAt };
        const { beneficiaryId, reissueOf } = request;
        const fixed = { isReceivingFixed: request.sourceAmount === "" };
        const own = { operationId, beneficiaryId, reissueOf, ...fixed };
        quotes.set(id, { ...terms, state: QuoteState.OPEN, ...own });
        return quoteResponse(id, found(id));
      },
      expireQuote: ({ quoteId }) => {
        const quote = found(quoteId);
        if (quote.state === QuoteState.CLAIMED) {
          throw refusalError(publicRefusals, refused("ALREADY_PROCESSED"));
        }
        quote.state = QuoteState.EXPIRED;
        return {};
      },
      getClaimableQuote: ({ quoteId }) => {
        const quote = found(quoteId);
        return {
          ...quoteResponse(quoteId, quote),
          corridorOpen: quote.corridorOpen,
          limits: { sourceMin: "1.00", sourceMax: "1000.00" },
          now: timestampFromDate(new Date(Date.now() + world.quoteOffsetMs)),
        };
      },
      listPrices: ({ requests }) => ({
        prices: requests.map(({ sourceAmount, receivingAmount, beneficiaryId }) => {
          const amount = sourceAmount || receivingAmount;
          const { refusal } = world.quoting;
          const isOutside = Number(amount) < 1 || Number(amount) > 1000;
          const refusals = [
            ...(refusal === undefined ? [] : [refused(refusal)]),
            ...(isOutside ? [refused("AMOUNT_NOT_WITHIN_LIMITS")] : []),
          ];
          return {
            refusals: refusals.map(refusalMessage),
            sourceAmount: amount,
            convertedAmount: amount,
            totalFees: "0.00",
            receivingAmount: amount,
            exchangeRate: "1",
            destinationKeys: [`account of ${beneficiaryId}`],
            beneficiaryCreatedAt: timestampFromDate(world.beneficiarySince),
          };
        }),
        now: timestampFromDate(new Date(Date.now() + world.quoteOffsetMs)),
      }),
      getEquivalentAmount: ({ amount, currencyCode, equivalentCurrencyCode }) => {
        const worth = equivalentCurrencyCode === "USD" ? world.worth[currencyCode] : undefined;
        if (worth === undefined) return {};
        return { amount: formatAmount(readAmount(amount, currencyCode) * worth, "USD") };
      },
      claimQuote: ({ quoteId, payoutId, mutation, order }) => {
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
        quote.claim ??= { payoutId, order, operationId, claimedAt };
        if (quote.claim.payoutId !== payoutId) {
          throw refusalError(publicRefusals, refused("ALREADY_PROCESSED"));
        }
        quote.state = QuoteState.CLAIMED;
        faults.afterClaim();
        return quoteResponse(quoteId, quote);
      },
    });
    /** The ids of the two beneficiaries that each merchant with a quote has. */
    const ids = ["ben_1", "ben_2"];
    const findOwn = ({ merchantId, beneficiaryId: id }: Record<string, unknown>) => {
      const isMerchant =
        merchantId === "mer_1" ||
        [...quotes.values()].some((quote) => quote.merchantId === merchantId);
      if (world.isBeneficiaryGone || !isMerchant || !ids.includes(String(id))) {
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
      getBeneficiaryStatus: (request) => {
        findOwn(request);
        const createdAt = timestampFromDate(world.beneficiarySince);
        return { destinationCurrency: "USD", createdAt, screeningStatus: world.screening };
      },
      listBeneficiaryCurrencies: ({ beneficiaryIds }) => {
        const known = beneficiaryIds.filter((id) => ids.includes(id));
        const destinationCurrency = "USD";
        return {
          currencies: known.map((beneficiaryId) => ({ beneficiaryId, destinationCurrency })),
        };
      },
      getPaymentInstruction: (request) => {
        findOwn(request);
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
  const { claim, beneficiaryId = "ben_1" } = quote;
  return {
    quote: {
      id,
      merchantId: quote.merchantId,
      accountId: quote.accountId,
      corridorId: "cor_1",
      sourceCurrencyCode: quote.source ?? "USD",
      destinationCurrencyCode: "USD",
      sourceAmount: quote.amount,
      convertedAmount: quote.amount,
      receivingAmount: quote.amount,
      totalFees: "0.00",
      exchangeRate: "1",
      returnCharges: quote.returnCharges ?? ReturnCharges.UNSPECIFIED,
      receivingFixed: quote.isReceivingFixed ?? false,
      reissueOf: quote.reissueOf ?? "",
      beneficiary: {
        id: beneficiaryId,
        name: quote.name ?? "Ada Lovelace",
        accountNumberMasked: "********1234",
        transferMethod: "ACH",
        destinationKeys: quote.destinationKeys ?? [`account of ${beneficiaryId}`],
      },
      state: quote.state,
      expiredAt: timestampFromDate(quote.expiresAt),
    },
    ...(claim && { claim: { ...claim, claimedAt: timestampFromDate(claim.claimedAt) } }),
  };
}

/** Returns the error of a call to an unreachable service. */
export function unavailable(): ConnectError {
  return new ConnectError("away", Code.Unavailable);
}
