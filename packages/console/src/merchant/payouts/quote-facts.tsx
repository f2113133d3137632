import type { Beneficiary, Corridor } from "@disburse/sdk/gen/types.ts";
import { t } from "../../catalogue/texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { spanText } from "../../ui/rules/times.ts";
import { railOf, type TimedQuote } from "./quote.ts";

const words = t.payouts.create;

export function QuoteFacts(props: {
  timed: TimedQuote;
  corridor: Corridor;
  beneficiary: Beneficiary;
}) {
  const { quote } = props.timed;
  const { source_currency_code: source, destination_currency_code: destination } = quote;
  return (
    <Facts
      rows={[
        [words.youSend, <Money key="send" amount={quote.source_amount} currency={source} />],
        [
          words.fees,
          <Money key="fees" amount={quote.total_fees} currency={quote.total_fees_currency} />,
        ],
        [words.converted, <Money key="c" amount={quote.converted_amount} currency={source} />],
        [words.rate, `1 ${source} = ${quote.exchange_rate} ${destination}`],
        [
          words.theyReceive,
          <strong key="receive">
            <Money amount={quote.receiving_amount} currency={destination} />
          </strong>,
        ],
        [words.arrival, arrivalText(props.corridor, props.beneficiary)],
      ]}
    />
  );
}

function arrivalText(corridor: Corridor, beneficiary: Beneficiary): string {
  const rail = railOf(corridor, beneficiary);
  if (rail?.settlement_seconds === undefined) return words.arrivalUnknown;
  const usual = words.arrivalSeconds({ text: spanText(rail.settlement_seconds) });
  return rail.cut_off === "" ? usual : `${usual}; ${words.cutOff({ text: rail.cut_off })}`;
}
