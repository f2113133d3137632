import { findCurrency } from "@disburse/kernel/currency.ts";
import { BSON } from "mongodb";
import type { Account, Beneficiary, Payout, PayoutOrder, Quote } from "./documents.ts";
import { compare, decimalOf, major, minorOf, times } from "./exact.ts";
import { type Expect, expectationsOf, type Finding } from "./finding.ts";

export type QuoteRelations = {
  readonly account: Account | undefined;
  readonly beneficiary: Beneficiary | undefined;
  readonly payout: Payout | undefined;
};

export function checkQuote(
  quote: Quote,
  { account, beneficiary, payout }: QuoteRelations,
): Finding[] {
  const { findings, expect } = expectationsOf(quote._id);
  checkArithmetic(quote, expect);
  const isAccounts =
    account?.merchant_id === quote.merchant_id && account.currency === quote.source;
  expect(12, isAccounts, "has no account of its merchant and currency");
  const isBeneficiarys = beneficiary?.merchant_id === quote.merchant_id;
  expect(12, isBeneficiarys, "has no beneficiary of its merchant");
  const { claim } = quote;
  expect(3, (quote.state === "claimed") === (claim !== undefined), "its claim and state disagree");
  if (claim === undefined) return findings;
  const inTime = claim.claimed_at.getTime() < quote.expires_at.getTime();
  expect(11, inTime, "was claimed when it had expired");
  const { waited } = BSON.deserialize(claim.order.buffer) as PayoutOrder;
  const own = waited?.payout_id ?? `po_${quote._id.slice("qt_".length)}`;
  const isDerived = claim.payout_id === own;
  expect(3, isDerived, "was claimed by a payout that is not its own");
  expect(5, payout !== undefined, "was claimed, but its payout does not exist");
  return findings;
}

function checkArithmetic(quote: Quote, expect: Expect): void {
  const { source, destination } = quote;
  const isKnown = findCurrency(source) !== undefined && findCurrency(destination) !== undefined;
  expect(13, isKnown, "is in unknown currencies");
  if (!isKnown) return;
  const [sent, fees, converted, receiving] = [
    minorOf(quote.amounts.source),
    minorOf(quote.amounts.fees),
    minorOf(quote.amounts.converted),
    minorOf(quote.amounts.receiving),
  ];
  expect(13, converted + fees === sent, "converted + fees is not what is sent");
  const isPositive = converted > 0n && receiving > 0n && fees >= 0n;
  expect(13, isPositive, "converts or pays nothing, or has fees below zero");
  const rate = decimalOf(quote.rate);
  const bought = (minor: bigint) => times(major(minor, source), rate);
  const paid = (minor: bigint) => major(minor, destination);
  // Either the receiving amount is the converted amount rounded down, or the converted amount is
  // the receiving amount rounded up. A difference of one unit is an error.
  const isRoundedDown = compare(paid(receiving + 1n), bought(converted)) > 0;
  const isRoundedUp = compare(bought(converted - 1n), paid(receiving)) < 0;
  const isCovered = compare(paid(receiving), bought(converted)) <= 0;
  expect(
    13,
    isCovered && (isRoundedDown || isRoundedUp),
    "the receiving amount does not follow from the rate",
  );
}
