import type { BeneficiaryForm } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";

type Kind = Pick<BeneficiaryForm, "body" | "transferType" | "destinationCurrency">;

/** Fields whose name says less than people need. */
const labels: Readonly<Record<string, string | ((kind: Kind) => string)>> = {
  beneficiary_name: "Name",
  beneficiary_account_number: ({ body }) =>
    body === "crypto" ? "Wallet address" : "Account number",
  beneficiary_document_id: "Number of your document",
  beneficiary_document_type: "Kind of document",
  beneficiary_name_latin: "Name in Latin letters",
  beneficiary_single_name: "I have one name only (enter it as last name)",
  beneficiary_state: "State or region",
  beneficiary_wallet_custody_provider: "Who keeps the wallet",
  beneficiary_wallet_custody_provider_name: "Name of who keeps it",
  routing_code_value_1: (kind) => bankCodeOf(kind),
  iban: "IBAN",
  bic: "BIC",
};

function bankCodeOf({ body, transferType, destinationCurrency }: Kind): string {
  if (body === "crypto") return "Network";
  if (destinationCurrency === "INR") return "IFSC of your bank";
  return transferType === "SWIFT" ? "BIC of your bank" : "Routing number of your bank (ABA)";
}

/** What a field of a beneficiary is called on the page of a form. */
export function labelOf(name: string, kind: Kind): string {
  const own = labels[name];
  if (own !== undefined) return typeof own === "string" ? own : own(kind);
  const words = name.replace(/^beneficiary_/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
