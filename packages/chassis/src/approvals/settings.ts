import { countSetting } from "../settings.ts";

/** Settings of services whose operators propose changes. */
export const approvalSettings = {
  /** Open proposals of a merchant in one service; each expires after a day. */
  OPEN_PROPOSALS_PER_MERCHANT: countSetting(1).default(1_000),
} as const;
