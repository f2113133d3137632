import type { Quote } from "@disburse/sdk/gen/types.ts";
import { t } from "../../catalogue/texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import { spanText } from "../../ui/rules/times.ts";
import { type Quoted, railOf } from "./quote.ts";

const words = t.payouts.create;

/** The terms of a quote, and if it is known, when the money arrives. */
export function QuoteTerms({ quote, arrival }: { quote: Quote; arrival?: string }) {
  const { source_currency_code: source, destination_currency_code: destination } = quote;
  return (
    <Facts
      rows={[
        [words.youSend, moneyText(quote.source_amount, source)],
        [words.fees, moneyText(quote.total_fees, quote.total_fees_currency)],
        [words.converted, moneyText(quote.converted_amount, source)],
        [words.rate, `1 ${source} = ${quote.exchange_rate} ${destination}`],
        [
          words.theyReceive,
          <strong key="receive">{moneyText(quote.receiving_amount, destination)}</strong>,
        ],
        [words.arrival, arrival],
      ]}
    />
  );
}

export const QuoteFacts = (quoted: Quoted) => (
  <QuoteTerms quote={quoted.timed.quote} arrival={arrivalText(quoted)} />
);

function arrivalText({ corridor, wish }: Quoted): string {
  const rail = railOf(corridor, wish.beneficiary);
  if (rail?.settlement_seconds === undefined) return words.arrivalUnknown;
  const usual = words.arrivalSeconds({ text: spanText(rail.settlement_seconds) });
  return rail.cut_off === "" ? usual : `${usual}; ${words.cutOff({ text: rail.cut_off })}`;
}
