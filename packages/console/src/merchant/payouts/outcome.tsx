import type { DryRun } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { Notice } from "../../ui/notice.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import { detailsBody } from "./quote.ts";

const words = t.payouts.create;

/**
 * Shows the result of the API's dry run before the payment: the payout is sent at once, waits for
 * approval, or is refused. A dry run stores and holds nothing. If it fails, nothing is shown.
 */
export function Outcome({ quoteId, reference }: { quoteId: string; reference: string }) {
  const { data } = useQuery({
    queryKey: ["dry run", quoteId, reference],
    queryFn: ({ signal }) => {
      const body = { quote_id: quoteId, ...detailsBody({ reference }) };
      return send<DryRun>("POST", "/api/v1/transfer/execute", { body, isDryRun: true, signal });
    },
    retry: false,
  });
  if (data === undefined) return null;
  const { refusals, available_amount: available } = data;
  if (refusals.length > 0) {
    const amount = available && moneyText(available, data.source_currency_code);
    return (
      <Notice tone="warn">
        <p>{words.wouldBeRefused}</p>
        <ul>
          {refusals.map(({ code, message }) => (
            <li key={`${code}:${message}`}>{message}</li>
          ))}
        </ul>
        {amount && <p>{words.available({ amount })}</p>}
      </Notice>
    );
  }
  if (!data.approval_required) return <Notice tone="good">{words.wouldBeSent}</Notice>;
  const reasons = data.approval_reasons.map((each) => t.payouts.one.approvalReasons[each] ?? each);
  return <Notice tone="info">{words.wouldWait({ reasons: reasons.join(", ") })}</Notice>;
}
