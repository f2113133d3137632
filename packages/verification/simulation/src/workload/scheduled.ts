import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { Callers, makerOf, mutationFor } from "./callers.ts";
import type { FundedAccount } from "./set-up.ts";

export type Terms = () => { readonly beneficiaryId: string; readonly sourceAmount: string };

const dayMs = 86_400_000;
/** Maximum delay of a scheduled payout. Some payouts are therefore due while faults occur. */
const dueMaxMs = 15_000;
/**
 * A cancellation is sent at most this long after the payout is due, so that some arrive while the
 * payout is being created.
 */
const aroundMs = 9_000;

export type Scheduled = {
  readonly operationId: string;
  /** `sp_…`, or a refusal's code. */
  readonly answers: readonly string[];
  /** True if the merchant was told that the scheduled payout is cancelled. */
  isCancelled: boolean;
};

export class ScheduledCallers {
  readonly #scheduler: Scheduler;
  readonly #platform: Platform;
  readonly #callers: Callers;
  readonly all: Scheduled[] = [];
  readonly wrong: string[] = [];

  constructor(scheduler: Scheduler, platform: Platform) {
    this.#scheduler = scheduler;
    this.#platform = platform;
    this.#callers = new Callers(scheduler, "scheduled");
  }

  /** Schedules one payout. Resolves when each caller has an answer. */
  async run({ id: accountId, merchantId }: FundedAccount, termsOf: Terms): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#callers.pause(random.below(dueMaxMs));
    const dueMs = random.pick([1_500, random.below(dueMaxMs) + 1_000, dayMs]);
    const operationId = this.#callers.operation();
    const { beneficiaryId, sourceAmount } = termsOf();
    const reserve = random.chance(0.5);
    const destination = this.#platform.beneficiaries.get(beneficiaryId)?.currency ?? "";
    const request = {
      mutation: mutationFor(makerOf(merchantId), operationId),
      merchantId,
      accountId,
      beneficiaryId,
      sourceAmount,
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: destination,
      referenceId: operationId,
      scheduledAt: new Date(this.#scheduler.nowMs() + dueMs).toISOString(),
      maxSourceAmount:
        reserve || random.chance(0.5) ? random.pick(["80.00", "120.00", "500.00"]) : "",
      reserve,
    };
    const { orders } = this.#platform.rpc;
    const answers = await this.#callers.askTwice(() => orders.schedulePayout(request));
    const ids = answers.map((each) =>
      typeof each === "string" ? each : (each.scheduledPayout?.id ?? ""),
    );
    if (ids.includes("INSUFFICIENT_BALANCE")) faults.count("reservation refused");
    const created: Scheduled = { operationId, answers: ids, isCancelled: false };
    this.all.push(created);
    const id = ids.find((each) => each.startsWith("spo_"));
    if (id === undefined || !random.chance(0.4)) return;
    if (dueMs < dayMs) {
      const isAtWork = random.chance(0.7) ? this.#platform.observer.quoted(id) : undefined;
      const pause = this.#callers.pause(dueMs + random.below(aroundMs));
      await Promise.race([pause, ...(isAtWork === undefined ? [] : [isAtWork])]);
    }
    const mutation = mutationFor(makerOf(merchantId), this.#callers.operation());
    const cancel = { mutation, merchantId, scheduledPayoutId: id };
    const heard = await this.#callers.askTwice(() => orders.cancelScheduledPayout(cancel));
    const refusals = heard.filter((each) => typeof each === "string");
    created.isCancelled = refusals.length < heard.length;
    faults.count(created.isCancelled ? "order cancelled" : "order cancelled too late");
    const wrong = refusals.filter((each) => each !== "NOT_CANCELLABLE");
    this.wrong.push(...wrong.map((each) => `${id} is there, and cancelling it is ${each}`));
  }
}
