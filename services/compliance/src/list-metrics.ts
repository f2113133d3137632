import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { StoredList } from "./list-documents.ts";
import type { ImportOutcome } from "./list-import.ts";
import type { KnownSource } from "./source-check.ts";

/** What is measured of the lists; the README says what to be alarmed by. */
export function listMetrics(metrics: Metrics) {
  const imports = metrics.counter(
    "disburse_list_imports_total",
    "Imports of lists: imported, refused, overtaken, failed.",
    ["list", "outcome"],
  );
  const age = metrics.gauge(
    "disburse_list_age_seconds",
    "Since a list was imported, or last found to be what its source publishes.",
    ["list"],
  );
  const failures = metrics.gauge(
    "disburse_list_source_failures",
    "Checks of a source in a row that were refused or reached nothing.",
    ["list"],
  );
  return {
    ended: (list: string, outcome: ImportOutcome): void => imports.inc({ list, outcome }),

    /** Shows how old the lists in force are, and how their sources do. */
    show: (inForce: readonly StoredList[], sources: readonly KnownSource[], now: Date): void => {
      const confirmed = new Map(sources.map(({ setting, state }) => [setting.list, state]));
      for (const { version } of inForce) {
        const { list, importedAt } = version;
        const last = Math.max(
          importedAt.getTime(),
          confirmed.get(list)?.confirmedAt?.getTime() ?? 0,
        );
        age.set({ list }, Math.max(0, now.getTime() - last) / 1_000);
      }
      for (const { setting, state } of sources) {
        failures.set({ list: setting.list }, state?.failures ?? 0);
      }
    },
  };
}
