import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { StoredRecord } from "../records/rules/record.ts";
import type { Due, RecordStore } from "../records/store.ts";
import { type ComplianceClient, screenRecord } from "./compliance.ts";

/** What an attempt at screening works with. */
export type ScreeningDeps = {
  readonly compliance: ComplianceClient;
  readonly clock: Clock;
  readonly log: Log;
};

/** How an attempt ended; after `unanswered` the record stays pending until it is due again. */
export type Attempt = "screened" | "unanswered" | "failed";

/**
 * One attempt at screening a record. Never throws for what compliance does or does not: the record
 * is stored, and its own schedule has the next attempt already.
 */
export async function attemptScreening(
  { compliance, clock, log }: ScreeningDeps,
  store: RecordStore,
  { record, scope, attempt }: Due,
): Promise<Attempt> {
  const { id, merchantId } = record;
  const started = performance.now();
  try {
    const result = await screenRecord(compliance, { id, merchantId, attempt }, scope);
    await store.writeScreening(merchantId, id, result, clock.now());
    const duration_ms = Math.round(performance.now() - started);
    log.info({ record_id: id, attempt, status: result.status, duration_ms }, "record screened");
    return "screened";
  } catch (error) {
    const unanswered = isUnavailable(error);
    if (unanswered) log.warn({ record_id: id, attempt }, "screening not answered");
    else log.error({ err: error, record_id: id, attempt }, "screening failed");
    return unanswered ? "unanswered" : "failed";
  }
}

/** The attempt of a creation or its repeat; nothing to do where the record has a result already. */
export async function screenNow(
  deps: ScreeningDeps,
  store: RecordStore,
  { id, merchantId, screening }: StoredRecord,
): Promise<void> {
  if (screening.status !== "pending") return;
  const opened = await store.open(merchantId, id);
  if (opened === undefined) throw new Error("a record that was just stored is not there");
  await attemptScreening(deps, store, { ...opened, attempt: screening.attempts });
}
