import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { HealthDocument, ReportDocument } from "./health-store.ts";
import { failingMsToReport, isFailing } from "./rules/health.ts";

/** The health of an endpoint with the report of its failure period. */
export type ReportedHealth = HealthDocument & { readonly report: ReportDocument };

export type ReportStore = ReturnType<typeof openReportStore>;

/**
 * Opens the store of failure reports. Each transition is one conditional write of the health's
 * document, so it happens once for all processes.
 */
export function openReportStore({ db }: Database) {
  const healths = db.collection<HealthDocument>("endpoint_health");

  /** Writes a report if its state is still the expected one. Returns the health if it was. */
  const move = async (
    { _id, report }: ReportedHealth,
    next: ReportDocument,
  ): Promise<ReportedHealth | null> =>
    (await healths.findOneAndUpdate(
      { _id, "report.state": report.state, "report.at": report.at },
      { $set: { report: next } },
      { returnDocument: "after" },
    )) as ReportedHealth | null;

  return {
    /** Begins the reports of all failing endpoints that have none. */
    beginAll: async (now: Date): Promise<void> => {
      const until = new Date(now.getTime() - failingMsToReport);
      const found = await healths
        .find(
          {
            failing_days: { $gt: 0 },
            failing_since: { $lte: until },
            report: { $exists: false },
          },
          { hint: "failing" },
        )
        .toArray();
      for (const { _id, failing_since, last_failed_at: at } of found) {
        if (failing_since === null || at === null) continue;
        if (!isFailing({ failingSince: failing_since, lastFailedAt: at })) continue;
        await healths.updateOne(
          { _id, failing_since, report: { $exists: false } },
          { $set: { report: { state: "failing", failing_since, at } } },
        );
      }
    },

    /** Returns the reports to publish, and those whose endpoint has acknowledged a delivery since. */
    due: async (): Promise<readonly ReportedHealth[]> => {
      const isUnpublished = ["failing", "recovered"].map((state) => {
        return { $eq: ["$report.state", state] };
      });
      const isOver = { $gt: ["$last_delivered_at", "$report.at"] };
      const due = {
        "report.state": { $exists: true },
        $expr: { $or: [...isUnpublished, isOver] },
      };
      return (await healths.find(due, { hint: "report" }).toArray()) as ReportedHealth[];
    },

    /** Marks the period's end at the latest acknowledgement. */
    recover: (health: ReportedHealth, at: Date): Promise<ReportedHealth | null> =>
      move(health, { ...health.report, state: "recovered", at }),

    /** Marks the state's event as published. After a recovery, the report is removed. */
    settle: async (health: ReportedHealth): Promise<void> => {
      const { _id, report } = health;
      if (report.state === "failing") await move(health, { ...report, state: "reported" });
      else
        await healths.updateOne({ _id, "report.state": report.state }, { $unset: { report: "" } });
    },
  };
}
