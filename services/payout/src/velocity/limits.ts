import type { Database } from "@disburse/chassis/mongo/database.ts";
import { type MerchantRules, openMerchantRules } from "../merchant-rules/merchant-rules.ts";
import {
  type MerchantLimits,
  type MerchantLimitsText,
  readLimits,
  unlimited,
} from "./rules/limits.ts";

export type VelocityLimits = MerchantRules<MerchantLimitsText, MerchantLimits>;

export function openVelocityLimits(database: Database): Promise<VelocityLimits> {
  return openMerchantRules<MerchantLimitsText, MerchantLimits>(
    database,
    "velocity_limits",
    ({ merchant, beneficiary }) => ({
      merchant: readLimits(merchant ?? unlimited),
      beneficiary: readLimits(beneficiary ?? unlimited),
    }),
  );
}
