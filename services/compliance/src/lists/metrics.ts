import type { Metrics } from "@disburse/chassis/metrics.ts";
import { missingLists } from "../index/watch.ts";
import type { ScreeningIndex } from "../screening/screening-index.ts";
import type { StoredList } from "./documents.ts";
import type { ImportOutcome } from "./imports/import.ts";
import type { KnownSource } from "./sources/check.ts";

/** The lists at one moment. */
export type ListsSeen = {
  readonly inForce: readonly StoredList[];
  /** What this process screens with. */
  readonly index: ScreeningIndex | undefined;
  readonly sources: readonly KnownSource[];
  readonly now: Date;
};

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
    "Checks of a source in a row that were refused, reached nothing or failed.",
    ["list"],
  );
  const indexed = metrics.gauge(
    "disburse_list_indexed",
    "1 where this process screens with the version in force, 0 where with another or none.",
    ["list"],
  );
  const awaited = metrics.gauge(
    "disburse_list_awaited",
    "1 where nothing is screened because this list of LIST_SOURCES never came into force.",
    ["list"],
  );
  return {
    ended: (list: string, outcome: ImportOutcome): void => imports.inc({ list, outcome }),

    /** Shows how old the lists in force are, whether they are indexed, and how sources do. */
    show: ({ inForce, index, sources, now }: ListsSeen): void => {
      const used = new Set(index?.lists.map(({ importId }) => importId));
      const confirmed = new Map(sources.map(({ setting, state }) => [setting.list, state]));
      for (const { version } of inForce) {
        const { list, importId, importedAt } = version;
        const last = Math.max(
          importedAt.getTime(),
          confirmed.get(list)?.confirmedAt?.getTime() ?? 0,
        );
        indexed.set({ list }, used.has(importId) ? 1 : 0);
        age.set({ list }, Math.max(0, now.getTime() - last) / 1_000);
      }
      for (const { setting, state } of sources) {
        const { list, optional } = setting;
        failures.set({ list }, state?.failures ?? 0);
        if (!optional) awaited.set({ list }, missingLists([list], inForce).length);
      }
    },
  };
}
