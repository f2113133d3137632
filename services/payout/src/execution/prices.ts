import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type PublicRefusal, refusalOf } from "@disburse/chassis/rpc/refusal.ts";
import type { Price } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { readAmount } from "@disburse/kernel/money.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type { ReadDeps } from "./reads.ts";
import type { RehearsedPayout } from "./rehearsal.ts";

/** The terms of a quote that is only calculated. Amounts are decimal text. */
export type PricedTerms = {
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly source: string;
  readonly destination: string;
  readonly sourceAmount: string;
  readonly receivingAmount: string;
  readonly referenceId: string;
  readonly allowDuplicate: boolean;
};

/** A calculated quote. `payout` is absent if the amounts could not be calculated. */
export type Priced = {
  readonly price: Price;
  readonly refusals: readonly Refused<PublicRefusal>[];
  readonly payout: RehearsedPayout | undefined;
};

/** The maximum number of prices in one call to the quote service. */
const pricesMax = 1_000;

/** Calculates quotes without storing them, in the order of the terms. `now` is the quotes' time. */
export async function readPrices(
  { quote }: Pick<ReadDeps, "quote">,
  merchantId: string,
  terms: readonly PricedTerms[],
): Promise<{ readonly priced: readonly Priced[]; readonly now: Date }> {
  const priced: Priced[] = [];
  let time: Date | undefined;
  for (let at = 0; at < terms.length; at += pricesMax) {
    const some = terms.slice(at, at + pricesMax);
    const requests = some.map(({ source, destination, ...each }) => ({
      ...each,
      sourceCurrencyCode: source,
      destinationCurrencyCode: destination,
    }));
    const { prices, now } = await quote.listPrices({ merchantId, requests });
    if (now === undefined || prices.length !== some.length) {
      throw new Error("the quote service returned incomplete prices");
    }
    time ??= timestampDate(now);
    for (const [index, price] of prices.entries()) priced.push(pricedOf(price, some[index]));
  }
  return { priced, now: time ?? new Date(0) };
}

function pricedOf(price: Price, terms: PricedTerms | undefined): Priced {
  if (terms === undefined) throw new Error("a price has no terms");
  const { source, destination, accountId, referenceId, allowDuplicate } = terms;
  const refusals = price.refusals.map(readRefused);
  if (price.sourceAmount === "") return { price, refusals, payout: undefined };
  const payout = {
    accountId,
    destinationKeys: price.destinationKeys,
    beneficiaryCreatedAt: price.beneficiaryCreatedAt && timestampDate(price.beneficiaryCreatedAt),
    source,
    sourceMinor: readAmount(price.sourceAmount, source),
    feesMinor: readAmount(price.sourceAmount, source) - readAmount(price.convertedAmount, source),
    destination,
    receivingMinor: readAmount(price.receivingAmount, destination),
    referenceId,
    allowDuplicate,
  };
  return { price, refusals, payout };
}

/** Reads a refusal of the quote service, whose codes are all public. */
function readRefused(message: Price["refusals"][number]): Refused<PublicRefusal> {
  const { code, message: detail, ...more } = refusalOf(message);
  return { refused: code as PublicRefusal, detail, ...more };
}
