import type { Database } from "@disburse/chassis/mongo/database.ts";
import { type MerchantSettings, openMerchantSettings } from "../settings/merchant-settings.ts";
import { type Controls, type ControlsText, readControls } from "./rules/controls.ts";

export type PayoutControls = MerchantSettings<ControlsText, Controls>;

export function openPayoutControls(database: Database): Promise<PayoutControls> {
  return openMerchantSettings(database, "payout_controls", readControls);
}
