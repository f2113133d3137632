import { type Refused, refused } from "@disburse/kernel/refusal.ts";

export type MerchantSettings = {
  readonly merchantId: string;
  readonly mayCreateBeneficiaries: boolean;
  readonly mayCreateDepositors: boolean;
};

export type CreationRefusal = Refused<"RECORD_NOT_FOUND" | "BENEFICIARY_CREATION_NOT_ALLOWED">;

/** The first two checks of every creation: settings exist and permit it. */
export function mayCreate(
  settings: MerchantSettings | undefined,
  noun: "beneficiary" | "depositor",
): MerchantSettings | CreationRefusal {
  if (settings === undefined) return refused("RECORD_NOT_FOUND");
  const allowed =
    noun === "beneficiary" ? settings.mayCreateBeneficiaries : settings.mayCreateDepositors;
  return allowed ? settings : refused("BENEFICIARY_CREATION_NOT_ALLOWED");
}
