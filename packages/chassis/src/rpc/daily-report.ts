import { type Days, readDays } from "@disburse/kernel/days.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type CountRead, createCache } from "../cache.ts";
import { orThrow } from "./refusal.ts";

type ReportOptions<T> = {
  readonly name: string;
  /** The maximum number of cached reports. */
  readonly max: number;
  readonly clock: Clock;
  readonly countRead?: CountRead | undefined;
  /** Reads the report of these records, such as an account. */
  readonly read: (of: readonly string[], days: Days) => Promise<T | undefined>;
};

/** The requested days, as `readDays` reads them. */
type Asked = { readonly firstDay: string; readonly lastDay: string };

/** Charts may be this old. */
const freshMs = 60_000;

/**
 * Caches a report by UTC day, because pages with charts are opened often. Concurrent requests for
 * the same days share one read. Malformed days are refused.
 */
export function createDailyReport<T extends NonNullable<unknown>>(options: ReportOptions<T>) {
  const { read, clock } = options;
  const daysOf = ({ firstDay, lastDay }: Asked) =>
    orThrow(readDays(firstDay, lastDay, clock.now()));
  const reports = createCache<T>({
    ...options,
    freshMs,
    read: async (key) => {
      const [firstDay = "", lastDay = "", ...of] = JSON.parse(key) as string[];
      return read(of, daysOf({ firstDay, lastDay }));
    },
  });
  return async (of: readonly string[], asked: Asked): Promise<T | undefined> => {
    const { days } = daysOf(asked);
    return reports.get(JSON.stringify([days[0], days.at(-1), ...of]));
  };
}
