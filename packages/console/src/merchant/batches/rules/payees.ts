import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { accountOf, isFound, nameOf } from "../../rules/beneficiary.ts";

/** Maximum number of suggestions for a typed text. */
const suggestedMax = 20;

const normal = (text: string) =>
  text.normalize("NFKC").trim().replace(/\s+/g, " ").toLocaleLowerCase("en");

const labelOf = (beneficiary: Beneficiary) => {
  const account = accountOf(beneficiary).replace(/\*+/, "…");
  return [nameOf(beneficiary), beneficiary.destination_currency, account].join(", ");
};

export type Payees = ReturnType<typeof payeesOf>;

/**
 * Finds active beneficiaries by their id, reference, whole name, or label. If there are more than
 * were read, another one may have the same name, so it finds them by id only.
 */
export function payeesOf(beneficiaries: readonly Beneficiary[], isCut: boolean) {
  const byText = new Map<string, Set<Beneficiary>>();
  for (const each of beneficiaries) {
    const { beneficiary_id: id, reference_id: reference = "" } = each;
    const texts = isCut ? [id] : [id, reference, nameOf(each), labelOf(each)];
    for (const text of texts.map(normal).filter((text) => text !== "")) {
      byText.set(text, (byText.get(text) ?? new Set()).add(each));
    }
  }
  const find = (text: string) => [...(byText.get(normal(text)) ?? [])];
  /** The shortest text that a person reads and that only this beneficiary has. */
  const textOf = (beneficiary: Beneficiary) =>
    [nameOf(beneficiary), labelOf(beneficiary)].find((text) => find(text).length === 1) ??
    beneficiary.beneficiary_id;
  const suggest = (text: string) =>
    beneficiaries
      .filter((each) => isFound(each, text))
      .slice(0, suggestedMax)
      .map(textOf);
  return { find, textOf, suggest, labelOf, isCut };
}
