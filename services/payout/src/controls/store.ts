import type { Database } from "@disburse/chassis/mongo/database.ts";
import { type MerchantRules, openMerchantRules } from "../merchant-rules/merchant-rules.ts";
import { type Controls, type ControlsText, readControls } from "./rules/controls.ts";

export type PayoutControls = MerchantRules<ControlsText, Controls>;

export function openPayoutControls(database: Database): Promise<PayoutControls> {
  return openMerchantRules(database, "payout_controls", readControls);
}
