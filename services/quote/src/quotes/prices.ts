import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { orThrow, refusalMessage } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  type Payee,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  type ListPricesRequest,
  type Price,
  PriceSchema,
  type QuoteService,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { type Decimal, formatDecimal } from "@disburse/kernel/decimal.ts";
import type { ErrorCode } from "@disburse/kernel/errors.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { CurrentCorridors } from "../corridors/current.ts";
import { type Corridor, isStale } from "../corridors/rules/corridor.ts";
import {
  type CheckedParties,
  checkCorridor,
  isWithinLimits,
  partyRefusals,
  quoteAmounts,
} from "./rules/quote.ts";

/** One read of that many beneficiaries takes the database and the sealer about 20 ms. */
const pricesMax = 1_000;

type PriceDeps = {
  readonly current: CurrentCorridors;
  readonly beneficiary: Pick<Client<typeof BeneficiaryService>, "listPayees">;
  readonly clock: Clock;
  readonly accountOf: (accountId: string) => Promise<CheckedParties["account"]>;
};

/** Terms of a pair of currencies, or why there are none. */
type Terms = { readonly corridor: Corridor; readonly rate: Decimal } | Refused<ErrorCode>;

/** Serves the calculation of quotes that are not stored. */
export function pricesRpc(deps: PriceDeps) {
  return {
    listPrices: async (request) => {
      if (request.requests.length > pricesMax) {
        orThrow(refused("INVALID_REQUEST", `requests: must have at most ${pricesMax} entries`));
      }
      return { prices: await pricesOf(deps, request), now: timestampFromDate(deps.clock.now()) };
    },
  } satisfies Partial<ServiceImpl<typeof QuoteService>>;
}

/** Reads each account, payee and pair of currencies once. */
async function pricesOf(
  deps: PriceDeps,
  { merchantId, requests }: ListPricesRequest,
): Promise<Price[]> {
  const beneficiaryIds = [...new Set(requests.map((each) => each.beneficiaryId))];
  const [accounts, { payees }, pairs] = await Promise.all([
    readEach(
      requests.map((each) => each.accountId),
      deps.accountOf,
    ),
    deps.beneficiary.listPayees({ merchantId, beneficiaryIds }),
    readEach(requests.map(pairOf), (pair) => termsOf(deps, merchantId, pair)),
  ]);
  const byId = new Map(payees.map((each) => [each.beneficiaryId, each]));
  return requests.map((request) => {
    const payee = byId.get(request.beneficiaryId);
    const account = accounts.get(request.accountId);
    const parties = { account, beneficiary: payee && beneficiaryOf(payee) };
    const refusals: Refused<ErrorCode>[] = partyRefusals({ ...request, merchantId }, parties);
    const terms = pairs.get(pairOf(request));
    const price = terms === undefined ? {} : priced(request, terms, refusals);
    return create(PriceSchema, {
      ...price,
      refusals: refusals.map(refusalMessage),
      destinationKeys: payee?.destinationKeys ?? [],
      ...(payee?.createdAt && { beneficiaryCreatedAt: payee.createdAt }),
    });
  });
}

async function readEach<T>(
  keys: readonly string[],
  read: (key: string) => Promise<T>,
): Promise<Map<string, T>> {
  const own = [...new Set(keys)];
  const values = await Promise.all(own.map(read));
  return new Map(own.map((key, at) => [key, values[at] as T]));
}

type PricedRequest = ListPricesRequest["requests"][number];

function pairOf({ sourceCurrencyCode, destinationCurrencyCode }: PricedRequest): string {
  return JSON.stringify([sourceCurrencyCode, destinationCurrencyCode]);
}

function beneficiaryOf(payee: Payee): CheckedParties["beneficiary"] {
  return {
    currency: payee.destinationCurrency,
    screening: enumName(ScreeningStatus, payee.screeningStatus),
    archived: false,
    isPayable: payee.payable,
  };
}

async function termsOf(
  { current, clock }: PriceDeps,
  merchantId: string,
  pair: string,
): Promise<Terms> {
  const [source = "", destination = ""] = JSON.parse(pair) as string[];
  const found = await current.find(source, destination);
  const isOpen = found !== undefined && (await current.isOpenTo(merchantId, found.id));
  const corridor = checkCorridor(found, isOpen);
  if (isRefused(corridor)) return corridor;
  const rate = await current.latestRate(corridor.id);
  if (rate === undefined || isStale(corridor, rate, clock.now())) {
    return refused("SERVICE_UNAVAILABLE", "The corridor has no current rate.");
  }
  return { corridor, rate: rate.rate };
}

/** Returns the amounts of a quote. Adds the refusals that they cause. */
function priced(request: PricedRequest, terms: Terms, refusals: Refused<ErrorCode>[]) {
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = request;
  const isKnown = [source, destination].every((each) => findCurrency(each) !== undefined);
  if (isRefused(terms)) refusals.push(terms);
  if (isRefused(terms) || !isKnown) return {};
  const { corridor, rate } = terms;
  const amounts = quoteAmounts(request, { source, destination, rate, fee: corridor.fee });
  if (isRefused(amounts)) refusals.push(amounts);
  if (isRefused(amounts)) return {};
  if (!isWithinLimits(amounts, corridor.limits)) refusals.push(refused("AMOUNT_NOT_WITHIN_LIMITS"));
  return {
    sourceAmount: formatAmount(amounts.source, source),
    convertedAmount: formatAmount(amounts.converted, source),
    totalFees: formatAmount(amounts.fees, source),
    receivingAmount: formatAmount(amounts.receiving, destination),
    exchangeRate: formatDecimal(rate),
  };
}
