import type { Payout, Quote } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { payouts } from "../../api/lists.ts";
import { onceOnly, pathOf } from "../../api/pages.ts";
import { post, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { FormButton } from "../../ui/form-button.tsx";
import { Part } from "../../ui/part.tsx";
import { QuoteTerms } from "./quote-facts.tsx";

const words = t.payouts.one;

/** Reissues a returned or rejected payout. */
export function PayAgain({ payout }: { payout: Payout }) {
  const navigate = useNavigate();
  const isOver = ["returned", "rejected"].includes(payout.sub_status);
  if (!isOver || payout.reissued_as !== "") return null;
  return (
    <May scope="payout:write">
      <FormButton
        label={words.again}
        text={words.againText}
        kind="primary"
        initial={{ max: "" }}
        fields={[
          {
            name: "max",
            label: words.againMaximum({ currency: payout.source_currency_code }),
            inputMode: "decimal",
          },
        ]}
        send={async ({ max }, key) => {
          const body = max.trim() === "" ? {} : { max_source_amount: max.trim() };
          const { id } = await post<Payout>(pathOf(payouts, payout.id, "/reissue"), body, key);
          await navigate({ to: "/payouts/$payoutId", params: { payoutId: id } });
        }}
      >
        {() => (
          <Part>
            <TermsOfNow payout={payout} />
          </Part>
        )}
      </FormButton>
    </May>
  );
}

function TermsOfNow({ payout }: { payout: Payout }) {
  const { data: quote } = useSuspenseQuery({
    queryKey: ["quote", "again", payout.id],
    queryFn: ({ signal }) => {
      const body = {
        account_id: payout.account_id,
        beneficiary_id: payout.beneficiary_id,
        source_currency_code: payout.source_currency_code,
        destination_currency_code: payout.destination_currency_code,
        ...(payout.receiving_fixed
          ? { receiving_amount: payout.receiving_amount }
          : { source_amount: payout.source_amount }),
      };
      return send<Quote>("POST", "/api/v1/transfer/rfq", { body, signal });
    },
    ...onceOnly,
    gcTime: 0,
    retry: false,
  });
  return <QuoteTerms quote={quote} />;
}
