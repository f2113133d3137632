import type { Payout, Quote } from "@disburse/sdk/gen/types.ts";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { accounts, payouts } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { TextField } from "../../ui/field.tsx";
import { Money } from "../../ui/money.tsx";

const words = t.payouts.one;

/** Reissues a returned or rejected payout. */
export function PayAgain({ payout }: { payout: Payout }) {
  const session = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [max, setMax] = useState("");
  const isOver = ["returned", "rejected"].includes(payout.sub_status);
  if (!isOver || payout.reissued_as !== "" || !may(session, "payout:write")) return null;
  return (
    <ConfirmButton
      label={words.again}
      text={words.againText}
      kind="primary"
      confirm={async (idempotencyKey) => {
        const path = `${payouts.path}/${encodeURIComponent(payout.id)}/reissue`;
        const body = max.trim() === "" ? {} : { max_source_amount: max.trim() };
        const created = await send<Payout>("POST", path, { body, idempotencyKey });
        const stale = [payouts.path, accounts.path];
        await Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
        await navigate({ to: "/payouts/$payoutId", params: { payoutId: created.id } });
      }}
    >
      <TermsOfNow payout={payout} />
      <TextField
        label={words.againMaximum({ currency: payout.source_currency_code })}
        value={max}
        onChange={setMax}
        inputMode="decimal"
      />
    </ConfirmButton>
  );
}

function TermsOfNow({ payout }: { payout: Payout }) {
  const { source_currency_code: source, destination_currency_code: destination } = payout;
  const found = useSuspenseQuery({
    queryKey: ["quote", "again", payout.id],
    queryFn: ({ signal }) => {
      const body = {
        account_id: payout.account_id,
        beneficiary_id: payout.beneficiary_id,
        source_currency_code: source,
        destination_currency_code: destination,
        ...(payout.receiving_fixed
          ? { receiving_amount: payout.receiving_amount }
          : { source_amount: payout.source_amount }),
      };
      return send<Quote>("POST", "/api/v1/transfer/rfq", { body, signal });
    },
    staleTime: "static",
    gcTime: 0,
    retry: false,
  });
  const quote = found.data;
  return (
    <Facts
      rows={[
        [
          t.payouts.create.youSend,
          <Money key="send" amount={quote.source_amount} currency={source} />,
        ],
        [
          t.payouts.create.fees,
          <Money key="fees" amount={quote.total_fees} currency={quote.total_fees_currency} />,
        ],
        [t.payouts.create.rate, `1 ${source} = ${quote.exchange_rate} ${destination}`],
        [
          t.payouts.create.theyReceive,
          <Money key="receive" amount={quote.receiving_amount} currency={destination} />,
        ],
      ]}
    />
  );
}
