import { fieldWords } from "../../catalogue/en/fields.ts";
import { textsOf } from "../../catalogue/messages.ts";

const labels: Readonly<Record<string, string>> = textsOf(fieldWords);

/** Returns a field's label: `First name` for `beneficiary_first_name`. */
export function labelOf(name: string): string {
  const last = name.slice(name.lastIndexOf(".") + 1).replace(/^(?:beneficiary|depositor)_/, "");
  const words = last.replaceAll("_", " ");
  return labels[last] ?? `${words.charAt(0).toLocaleUpperCase("en")}${words.slice(1)}`;
}
