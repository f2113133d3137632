import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type ComplianceClient, screenRecord } from "./compliance.ts";
import { type Beneficiary, beneficiaryScope } from "./domain/beneficiary.ts";
import { type Depositor, depositorScope } from "./domain/depositor.ts";
import type { Screening, ScreeningScope } from "./domain/screening.ts";
import type { Due, Opened, RecordStore } from "./record-store.ts";

export type ScreeningDeps = {
  readonly compliance: ComplianceClient;
  readonly clock: Clock;
  readonly log: Log;
};

/** Records that compliance can screen. */
export type Screenable<T> = {
  readonly store: RecordStore<T>;
  readonly scope: (opened: Opened<T>) => ScreeningScope;
};

type Record = {
  readonly id: string;
  readonly merchantId: string;
  readonly screening: Screening;
};

export function screenableBeneficiaries(store: RecordStore<Beneficiary>): Screenable<Beneficiary> {
  return { store, scope: ({ record, whole }) => beneficiaryScope(record, whole) };
}

export function screenableDepositors(store: RecordStore<Depositor>): Screenable<Depositor> {
  return { store, scope: ({ whole }) => depositorScope(whole) };
}

/** How an attempt ended; after `unanswered` the record stays pending until it is due again. */
export type Attempt = "screened" | "unanswered" | "failed";

/**
 * One attempt at screening a record. Never throws for what compliance does or does not: the record
 * is stored, and its own schedule has the next attempt already.
 */
export async function attemptScreening<T extends Record>(
  { compliance, clock, log }: ScreeningDeps,
  { store, scope }: Screenable<T>,
  due: Due<T>,
): Promise<Attempt> {
  const { id, merchantId } = due.record;
  const { attempt } = due;
  const started = performance.now();
  try {
    const result = await screenRecord(compliance, { id, merchantId, attempt }, scope(due));
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

/**
 * The creation's own attempt, and a repeat's: nothing to do where the record has a result already.
 */
export async function screenNow<T extends Record>(
  deps: ScreeningDeps,
  screenable: Screenable<T>,
  record: T,
): Promise<void> {
  const { id, merchantId, screening } = record;
  if (screening.status !== "pending") return;
  const opened = await screenable.store.open(merchantId, id);
  if (opened === undefined) throw new Error("a record that was just stored is not there");
  await attemptScreening(deps, screenable, { ...opened, attempt: screening.attempts });
}
