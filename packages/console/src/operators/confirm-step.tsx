import { type ComponentProps, useState } from "react";
import { answerOf, mutationOf } from "../api/rpc.ts";
import { t } from "../catalogue/texts.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { AreaField } from "../ui/field.tsx";

type Step = (mutation: ReturnType<typeof mutationOf>, reason: string) => Promise<unknown>;

/** The services' limits for the length of a reason. */
export const reasonLength = [10, 1_000] as const;
const [reasonMin, reasonMax] = reasonLength;

/**
 * Asks an operator to confirm an action, and for its reason if it `needsReason`. Each opening of the
 * dialog is one operation.
 */
export function ConfirmStep(
  props: Omit<ComponentProps<typeof ConfirmButton>, "confirm" | "children" | "isReady"> & {
    step: Step;
    needsReason?: boolean;
  },
) {
  const { step, needsReason = false, ...shown } = props;
  const [reason, setReason] = useState("");
  const { reason: label, reasonHint: hint } = t.steps;
  const field = { label, hint, value: reason, onChange: setReason, maxLength: reasonMax };
  return (
    <ConfirmButton
      {...shown}
      isReady={!needsReason || reason.trim().length >= reasonMin}
      confirm={(attempt) => answerOf(step(mutationOf(attempt), reason.trim()))}
    >
      {needsReason ? <AreaField {...field} required /> : null}
    </ConfirmButton>
  );
}
