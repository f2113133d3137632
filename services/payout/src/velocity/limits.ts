import type { Database } from "@disburse/chassis/mongo/database.ts";
import { type MerchantSettings, openMerchantSettings } from "../settings/merchant-settings.ts";
import {
  type MerchantLimits,
  type MerchantLimitsText,
  readLimits,
  unlimited,
} from "./rules/limits.ts";

export type VelocityLimits = MerchantSettings<MerchantLimitsText, MerchantLimits>;

export function openVelocityLimits(database: Database): Promise<VelocityLimits> {
  return openMerchantSettings<MerchantLimitsText, MerchantLimits>(
    database,
    "velocity_limits",
    ({ merchant, beneficiary }) => ({
      merchant: readLimits(merchant ?? unlimited),
      beneficiary: readLimits(beneficiary ?? unlimited),
    }),
  );
}
