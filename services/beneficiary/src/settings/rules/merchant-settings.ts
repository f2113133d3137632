import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** What a merchant may create. */
export type MerchantSettings = {
  readonly merchantId: string;
  readonly mayCreateBeneficiaries: boolean;
  readonly mayCreateDepositors: boolean;
};

/** Why a merchant may not create a record. */
export type CreationRefusal = Refused<"RECORD_NOT_FOUND" | "BENEFICIARY_CREATION_NOT_ALLOWED">;

/** The first two checks of every creation: there are settings, and they allow it. */
export function mayCreate(
  settings: MerchantSettings | undefined,
  noun: "beneficiary" | "depositor",
): MerchantSettings | CreationRefusal {
  if (settings === undefined) return refused("RECORD_NOT_FOUND");
  const allowed =
    noun === "beneficiary" ? settings.mayCreateBeneficiaries : settings.mayCreateDepositors;
  return allowed ? settings : refused("BENEFICIARY_CREATION_NOT_ALLOWED");
}
