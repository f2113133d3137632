import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { scheduledPayouts } from "../../api/lists.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { amountOf, moneyText } from "../../ui/rules/amounts.ts";
import { nameOf } from "../rules/beneficiary.ts";
import { detailsBody, type PayoutDetails, type QuoteWish, wishBody } from "./quote.ts";

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
  const navigate = useNavigate();
  if (wish === undefined) return <Notice tone="info">{words.scheduleHint}</Notice>;
  const { currency_code: source } = wish.account;
  const { destination_currency: destination = "" } = wish.beneficiary;
  const isBad = max !== "" && amountOf(max) === undefined;
  const isSent = wish.side === "source_amount";
  const confirmText = isSent ? words.scheduleSends : words.scheduleReceives;
  const schedule = async (key: string) => {
    const maximum = max === "" ? {} : { max_source_amount: amountOf(max) };
    const body = { ...wishBody(wish), ...detailsBody(details), ...maximum, scheduled_at: day };
    await post(scheduledPayouts.path, body, key);
    forget();
    await navigate({ to: "/scheduled" });
  };
  return (
    <div className="card">
      <p>{words.scheduleText}</p>
      <TextField
        label={words.maximum({ currency: source })}
        value={max}
        onChange={setMax}
        inputMode="decimal"
        error={isBad ? words.badAmount : undefined}
      />
      <ConfirmButton
        label={words.schedule}
        text={confirmText({
          name: nameOf(wish.beneficiary),
          amount: moneyText(wish.amount, isSent ? source : destination),
          day,
        })}
        kind="primary"
        isReady={!isBad}
        confirm={schedule}
      />
    </div>
  );
}
