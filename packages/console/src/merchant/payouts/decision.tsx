import { type ReactNode, useState } from "react";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { AreaField } from "../../ui/field.tsx";

const words = t.payouts.one;

export function Decision(props: {
  texts: { approveText: string; rejectText: string };
  /** The button's label, if approval has further effects. */
  approve?: string;
  approval: object;
  isReady?: boolean;
  /** The fewest characters of a reason. */
  reasonMin?: number;
  send: (decision: "approve" | "reject", body: object, idempotencyKey: string) => Promise<unknown>;
  children?: ReactNode;
}) {
  const { texts, approve = words.approve, approval, isReady = true, reasonMin = 1 } = props;
  const { send, children } = props;
  const [reason, setReason] = useState("");
  return (
    <>
      <ConfirmButton
        label={approve}
        text={texts.approveText}
        kind="primary"
        isReady={isReady}
        confirm={(key) => send("approve", approval, key)}
      >
        {children}
      </ConfirmButton>
      <ConfirmButton
        label={words.reject}
        text={texts.rejectText}
        isReady={reason.trim().length >= reasonMin}
        confirm={(key) => send("reject", { reason: reason.trim() }, key)}
      >
        <AreaField
          label={words.rejectReason}
          value={reason}
          onChange={setReason}
          maxLength={255}
          required
        />
      </ConfirmButton>
    </>
  );
}
