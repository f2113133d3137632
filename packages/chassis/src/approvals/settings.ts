import { countSetting } from "../settings.ts";

/** Settings of services whose operators propose changes. */
export const approvalSettings = {
  /**
   * The maximum number of operators' open proposals of a merchant in one service. Each proposal expires after
   * a day.
   */
  OPEN_PROPOSALS_PER_MERCHANT: countSetting(1).default(1_000),
} as const;
