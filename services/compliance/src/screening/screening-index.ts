import type { ListVersion } from "../lists/rules/version.ts";
import type { Finding } from "./rules/hit.ts";
import type { ScreeningQuery } from "./rules/screening.ts";

/** All lists in force, indexed: one consistent state, and it never changes. */
export type ScreeningIndex = {
  readonly lists: readonly ListVersion[];
  /** Of the matcher's thresholds and weights. */
  readonly configurationVersion: string;
  /** The order of these: a higher one is newer. */
  readonly configurationRevision: number;
  /** Equal where the entries in force and the configuration are: nothing can be found otherwise. */
  readonly stamp: string;
  /**
   * Compares with all lists, in another thread: the best hits, and the worst verdict. Rejects with
   * an RPC error of code UNAVAILABLE when it cannot be answered now (too many ask, the thread
   * died): then nothing was compared, and nothing may be taken for clear. Rejects with INTERNAL
   * when the matcher itself throws.
   */
  screen(request: ScreeningQuery, waiter?: Waiter): Promise<Finding>;
};

/** Who waits for a screening. */
export type Waiter = {
  /** Merchants have equal parts of the thread's time; "" is the part of monitoring. */
  readonly merchantId: string;
  /** Aborts when no caller waits any longer: what is not compared yet is not compared at all. */
  readonly signal?: AbortSignal | undefined;
};

/** The index that answers now, in this process. */
export type IndexWatch = {
  /**
   * `undefined` until a list, and each that `LIST_SOURCES` requires, is in force and indexed: then
   * nothing can be cleared.
   */
  current(): ScreeningIndex | undefined;
  /** Reads what is in force again, and switches when it is something else. */
  refresh(): Promise<void>;
};
