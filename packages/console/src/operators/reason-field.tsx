import { t } from "../catalogue/texts.ts";
import { AreaField } from "../ui/field.tsx";

/** The services' limits for the length of a reason. */
export const reasonLength = [10, 1_000] as const;
const [reasonMin, reasonMax] = reasonLength;

export const isReason = (text: string) => text.trim().length >= reasonMin;

/** Input for the reason or evidence of an operator's decision. */
export function ReasonField(props: { value: string; onChange: (text: string) => void }) {
  const { reason: label, reasonHint: hint } = t.steps;
  return <AreaField {...props} {...{ label, hint }} maxLength={reasonMax} required />;
}
