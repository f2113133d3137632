import type { ListVersion } from "../lists/rules/version.ts";
import type { Finding } from "./rules/hit.ts";
import type { ScreeningQuery } from "./rules/screening.ts";

/** An index of all lists in force: one consistent state that never changes. */
export type ScreeningIndex = {
  readonly lists: readonly ListVersion[];
  /** The version of the matcher's thresholds and weights, and of the operator's countries. */
  readonly configurationVersion: string;
  readonly configurationRevision: number;
  /** Equal stamps mean equal entries and configuration, and so equal results. */
  readonly stamp: string;
  /**
   * Compares with all lists in another thread. Returns the best hits and the worst verdict. Rejects
   * with `UNAVAILABLE` if there are too many requests or the thread has died. The request was then
   * not compared, so the caller must not treat the party as clear. Rejects with `INTERNAL` if the
   * matcher throws.
   */
  screen(request: ScreeningQuery, waiter?: Waiter): Promise<Finding>;
};

export type Waiter = {
  /**
   * The merchant that the thread's time is charged to. Merchants share the time equally. Monitoring
   * uses "".
   */
  readonly merchantId: string;
  /** Aborts when the caller no longer waits. Units that are not yet compared are then dropped. */
  readonly signal?: AbortSignal | undefined;
};

/** The current index of this process. */
export type IndexWatch = {
  /**
   * Returns the current index. Returns `undefined` until every list that `LIST_SOURCES` requires,
   * and at least one list, is in force and indexed. Until then no party can be cleared.
   */
  current(): ScreeningIndex | undefined;
  /** Reads the lists in force, and switches to a new index if they changed. */
  refresh(): Promise<void>;
};
