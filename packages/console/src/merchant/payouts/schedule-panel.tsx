import type { ScheduledPayout } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { scheduledPayouts } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { amountOf, moneyText } from "../../ui/rules/amounts.ts";
import { nameOf } from "../rules/beneficiary.ts";
import { type PayoutDetails, type QuoteWish, wishBody } from "./quote.ts";

const words = t.payouts.create;

/**
 * Schedules a payout. The platform creates the quote at the scheduled time. The payout may not cost
 * more than a maximum.
 */
export function SchedulePanel(props: {
  wish: QuoteWish | undefined;
  details: PayoutDetails;
  day: string;
  /** Forgets the draft of the payout. */
  forget: () => void;
}) {
  const { wish, details, day, forget } = props;
  const [max, setMax] = useState("");
  const client = useQueryClient();
  const navigate = useNavigate();
  if (wish === undefined) return <Notice tone="info">{words.scheduleHint}</Notice>;
  const { currency_code: source } = wish.account;
  const schedule = async (idempotencyKey: string) => {
    const { reference, remittance } = details;
    const body = {
      ...wishBody(wish),
      scheduled_at: day,
      ...(max === "" ? {} : { max_source_amount: amountOf(max) }),
      ...(reference === "" ? {} : { reference_id: reference }),
      ...(remittance === "" ? {} : { remittance_information: remittance }),
    };
    await send<ScheduledPayout>("POST", scheduledPayouts.path, { body, idempotencyKey });
    forget();
    await client.invalidateQueries({ queryKey: [scheduledPayouts.path] });
    await navigate({ to: "/scheduled" });
  };
  const isBad = max !== "" && amountOf(max) === undefined;
  const { destination_currency: destination = "" } = wish.beneficiary;
  const isSent = wish.side === "source_amount";
  const currency = isSent ? source : destination;
  const confirmText = isSent ? words.scheduleSends : words.scheduleReceives;
  return (
    <div className="card">
      <p>{words.scheduleText}</p>
      <TextField
        label={words.maximum({ currency: source })}
        value={max}
        onChange={setMax}
        inputMode="decimal"
        {...(isBad ? { error: words.badAmount } : {})}
      />
      <ConfirmButton
        label={words.schedule}
        text={confirmText({
          name: nameOf(wish.beneficiary),
          amount: moneyText(wish.amount, currency),
          day,
        })}
        kind="primary"
        isReady={!isBad}
        confirm={schedule}
      />
    </div>
  );
}
