import { type Refused, refused } from "@disburse/kernel/refusal.ts";

export type MerchantPermissions = {
  readonly merchantId: string;
  readonly mayCreateBeneficiaries: boolean;
  readonly mayCreateDepositors: boolean;
};

export type CreationRefusal = Refused<"RECORD_NOT_FOUND" | "BENEFICIARY_CREATION_NOT_ALLOWED">;

/** The first two checks of every creation: permissions exist and permit it. */
export function mayCreate(
  permissions: MerchantPermissions | undefined,
  noun: "beneficiary" | "depositor",
): MerchantPermissions | CreationRefusal {
  if (permissions === undefined) return refused("RECORD_NOT_FOUND");
  const allowed =
    noun === "beneficiary" ? permissions.mayCreateBeneficiaries : permissions.mayCreateDepositors;
  return allowed ? permissions : refused("BENEFICIARY_CREATION_NOT_ALLOWED");
}
