import { until } from "@disburse/harness/waiting.ts";
import { achBeneficiary, callGateway } from "@disburse/platform/merchant.ts";
import type { FaultPlatform } from "../platform.ts";
import { postUntilAnswered } from "./client.ts";

/** A payee with the account's currency, or with one that needs a conversion. */
export type Recipient = { readonly id: string; readonly currency: "USD" | "INR" };

const bodies = {
  USD: achBeneficiary,
  INR: {
    beneficiary_first_name: "Grace",
    beneficiary_last_name: "Hopper",
    beneficiary_account_type: "Individual",
    beneficiary_address: "1 Main Street",
    destination_currency: "INR",
    transfer_type: "LOCAL",
    destination_country: "IN",
    currency_type: "Fiat",
    routing_code_type_1: "IFSC",
    routing_code_value_1: "HDFC0000001",
    beneficiary_state: "Maharashtra",
    beneficiary_city: "Mumbai",
    beneficiary_postcode: "400020",
    beneficiary_email: "grace@example.com",
    beneficiary_account_number: "50100123456789",
    beneficiary_bank_name: "First Bank",
    beneficiary_bank_account_type: "Business Checking",
    beneficiary_country_code: "IN",
    beneficiary_contact_country_code: "91",
    beneficiary_contact_number: "9820012345",
    beneficiary_alias: "grace",
    beneficiary_bank_address: "2 Fort Road",
    beneficiary_bank_city: "Mumbai",
    beneficiary_bank_postcode: "400001",
    beneficiary_bank_state: "Maharashtra",
    beneficiary_bank_country_code: "IN",
  },
} as const;

export async function makeRecipients(platform: FaultPlatform): Promise<Recipient[]> {
  const created: Recipient[] = [];
  for (const currency of ["USD", "INR"] as const) {
    const answer = await postUntilAnswered(
      platform,
      "/transfer/fiat/beneficiary",
      bodies[currency],
    );
    const id = answer?.data.beneficiary_id;
    if (id === undefined)
      throw new Error(`creating a beneficiary in ${currency} failed: ${answer?.text}`);
    if (!(await isCleared(platform, id))) throw new Error(`beneficiary ${id} was not screened`);
    created.push({ id, currency });
  }
  return created;
}

/** Waits for the screening, which is late if compliance is still starting. */
function isCleared(platform: FaultPlatform, id: string): Promise<boolean> {
  return until(
    async () => {
      const { data } = await callGateway(platform, "GET", `/transfer/beneficiaries/${id}`);
      return data?.screening_status === "cleared";
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
}
