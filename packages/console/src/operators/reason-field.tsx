import { t } from "../catalogue/en.ts";
import { AreaField } from "../ui/field.tsx";

/** The services' limits for the length of a reason. */
const reasonMin = 10;
const reasonMax = 1_000;

export const isReason = (text: string) => text.trim().length >= reasonMin;

/** Input for the reason or evidence of an operator's decision. */
export function ReasonField(props: {
  value: string;
  onChange: (text: string) => void;
  label?: string;
  hint?: string;
}) {
  const { label = t.steps.reason, hint = t.steps.reasonHint, value, onChange } = props;
  return <AreaField {...{ label, hint, value, onChange }} maxLength={reasonMax} required />;
}
