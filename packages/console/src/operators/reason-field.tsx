import { t } from "../catalogue/en.ts";
import { AreaField } from "../ui/field.tsx";

/** A reason has so many characters: the services refuse others. */
const reasonMin = 10;
const reasonMax = 1_000;

export const isReason = (text: string) => text.trim().length >= reasonMin;

/** Why an operator decides so, or from where it is known. */
export function ReasonField(props: {
  value: string;
  onChange: (text: string) => void;
  label?: string;
  hint?: string;
}) {
  const { label = t.steps.reason, hint = t.steps.reasonHint, value, onChange } = props;
  return <AreaField {...{ label, hint, value, onChange }} maxLength={reasonMax} required />;
}
