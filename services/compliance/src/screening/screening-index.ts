import type { ListVersion } from "../lists/rules/version.ts";
import type { Finding } from "./rules/hit.ts";
import type { ScreeningQuery } from "./rules/screening.ts";

/** An index of all lists in force: one consistent state that never changes. */
export type ScreeningIndex = {
  readonly lists: readonly ListVersion[];
  /** The version of the matcher's thresholds and weights. */
  readonly configurationVersion: string;
  readonly configurationRevision: number;
  /** Equal stamps mean equal entries and configuration, and so equal results. */
  readonly stamp: string;
  /**
   * Compares with all lists, in another thread, and returns the best hits and the worst verdict.
   * Rejects with an UNAVAILABLE RPC error if it cannot respond now, because of too many requests or
   * a dead thread. Nothing was compared then, so the caller must not treat it as clear. Rejects
   * with INTERNAL if the matcher itself throws.
   */
  screen(request: ScreeningQuery, waiter?: Waiter): Promise<Finding>;
};

export type Waiter = {
  /** Merchants share the thread's time equally; "" is the share of monitoring. */
  readonly merchantId: string;
  /** Aborts when no caller is waiting; units not yet compared are then dropped. */
  readonly signal?: AbortSignal | undefined;
};

/** The current index of this process. */
export type IndexWatch = {
  /**
   * `undefined` until at least one list, and each list that `LIST_SOURCES` requires, is in force
   * and indexed. Nothing can be cleared until then.
   */
  current(): ScreeningIndex | undefined;
  /** Reads the lists in force again, and switches to a new index if they changed. */
  refresh(): Promise<void>;
};
