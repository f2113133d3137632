import type { ServiceImpl } from "@connectrpc/connect";
import { createDailyReport } from "@disburse/chassis/rpc/daily-report.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type AlertStore, alertsMax } from "./store.ts";

type ActivityDeps = { readonly alerts: Pick<AlertStore, "countByDay">; readonly clock: Clock };

/** A report has at most 20 kB. */
const keptMax = 100;

const tooMany = refused(
  "INVALID_REQUEST",
  `first_day: must be later, because there are more than ${alertsMax} alerts since then`,
);

/** Serves the charts of alerts. */
export function alertActivityRpc({ alerts, clock }: ActivityDeps) {
  const report = createDailyReport({
    name: "alert_activity",
    max: keptMax,
    clock,
    read: async (_of, days) => (await alerts.countByDay(days)) ?? tooMany,
  });
  return {
    getAlertActivity: async (days) => ({ days: orThrow((await report([], days)) ?? tooMany) }),
  } satisfies Partial<ServiceImpl<typeof ComplianceReviewService>>;
}
