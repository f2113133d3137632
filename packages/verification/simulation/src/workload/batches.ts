import type { Batch } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { approverOf, type CalledFor, Callers, makerOf, mutationFor } from "./callers.ts";
import type { MerchantControls } from "./controls.ts";
import type { Terms } from "./scheduled.ts";
import type { FundedAccount } from "./set-up.ts";

const startMaxMs = 8_000;
const decideMaxMs = 5_000;
const cancelMaxMs = 8_000;
const linesMax = 4;

export type HeardBatch = {
  readonly operationId: string;
  readonly merchantId: string;
  readonly lineCount: number;
  /** `bat_…`, or a refusal's code. */
  readonly answers: readonly string[];
  /** Operation ids of the decisions for which the caller was told that they took effect. */
  readonly approved: string[];
  readonly rejected: string[];
  isCancelled: boolean;
};

type Decide = { readonly as: "approved" | "rejected"; readonly by: CalledFor };

/** Callers that create batches, decide on them, and cancel some. */
export class BatchCallers {
  readonly #scheduler: Scheduler;
  readonly #platform: Platform;
  readonly #callers: Callers;
  readonly all: HeardBatch[] = [];
  readonly wrong: string[] = [];

  constructor(scheduler: Scheduler, platform: Platform) {
    this.#scheduler = scheduler;
    this.#platform = platform;
    this.#callers = new Callers(scheduler, "batch");
  }

  /** Creates one batch. Resolves when the batch is decided and each caller has an answer. */
  async run(
    account: FundedAccount,
    termsOf: Terms,
    controls: MerchantControls | undefined,
  ): Promise<void> {
    const { random } = this.#scheduler;
    const { merchantId } = account;
    await this.#callers.pause(random.below(startMaxMs));
    const operationId = this.#callers.operation();
    const lineCount = 1 + random.below(linesMax);
    const lines = Array.from({ length: lineCount }, (_each, at) =>
      this.#line(account, termsOf, `${operationId}-${at}`),
    );
    const mutation = mutationFor(makerOf(merchantId), operationId);
    const lastsMs = random.pick([10_000, 600_000]);
    const queueing = random.chance(0.5) && {
      queueIfLowBalance: true,
      expiresAt: new Date(this.#scheduler.nowMs() + lastsMs).toISOString(),
    };
    const request = { mutation, merchantId, referenceId: operationId, lines, ...queueing };
    const { orders } = this.#platform.rpc;
    const answers = await this.#callers.askTwice(() => orders.createBatch(request));
    const batches = answers.filter((each) => typeof each !== "string");
    const created: HeardBatch = {
      operationId,
      merchantId,
      lineCount,
      approved: [],
      rejected: [],
      isCancelled: false,
      answers: answers.map((each) => (typeof each === "string" ? each : (each.batch?.id ?? ""))),
    };
    this.all.push(created);
    const batch = batches[0]?.batch;
    if (batch === undefined) return;
    await Promise.all([this.#decide(created, batch, controls), this.#cancel(created, batch.id)]);
  }

  #line({ id: accountId }: FundedAccount, termsOf: Terms, referenceId: string) {
    const { beneficiaryId, sourceAmount } = termsOf();
    const currency = this.#platform.beneficiaries.get(beneficiaryId)?.currency ?? "";
    const isReceiving = this.#scheduler.random.chance(0.6);
    const amount = isReceiving ? { receivingAmount: sourceAmount } : { sourceAmount };
    const currencies = { sourceCurrencyCode: "USD", destinationCurrencyCode: currency };
    return { accountId, beneficiaryId, ...currencies, ...amount, referenceId };
  }

  /**
   * Approves or rejects a batch, or tries both at once. If the merchant's rules require it, the
   * batch's creator can't decide.
   */
  async #decide(
    created: HeardBatch,
    batch: Batch,
    controls: MerchantControls | undefined,
  ): Promise<void> {
    const { random, faults } = this.#scheduler;
    const { merchantId } = created;
    await this.#callers.pause(random.below(decideMaxMs));
    const byMaker: Decide = { as: "approved", by: makerOf(merchantId) };
    if (controls?.isOfBatches === true) {
      const isApproved = await this.#ask(created, batch, byMaker);
      if (isApproved) this.wrong.push(`${batch.id} was approved by its maker`);
      else faults.count("approval refused");
    }
    const approve: Decide = { as: "approved", by: approverOf(merchantId, 1) };
    const reject: Decide = { as: "rejected", by: approverOf(merchantId, 2) };
    const own = controls?.isOfBatches === true ? approve : byMaker;
    const chosen = random.pick([[approve], [approve], [own], [reject], [approve, reject]]);
    await Promise.all(chosen.map((each) => this.#ask(created, batch, each)));
  }

  async #ask(created: HeardBatch, batch: Batch, { as, by }: Decide): Promise<boolean> {
    const { random } = this.#scheduler;
    const operationId = this.#callers.operation();
    const mutation = mutationFor(by, operationId);
    const on = { mutation, merchantId: created.merchantId, batchId: batch.id };
    const digest = random.chance(0.5) ? (batch.approval?.digest ?? "") : "";
    // A maximum below the sum of the fixed amounts is refused, and nobody would decide any more.
    const least = Number(batch.sourceTotal?.amount ?? 0) > 60 ? "5000.00" : "60.00";
    const maxTotalAmount = random.pick([least, "5000.00", "5000.00"]);
    const { orders } = this.#platform.rpc;
    const call = (): Promise<unknown> =>
      as === "approved"
        ? orders.approveBatch({ ...on, maxTotalAmount, digest })
        : orders.rejectBatch({ ...on, reason: "not ours" });
    const heard = await this.#callers.askTwice(call);
    const isDone = heard.some((each) => typeof each !== "string");
    if (isDone) created[as].push(operationId);
    return isDone;
  }

  async #cancel(created: HeardBatch, batchId: string): Promise<void> {
    const { random, faults } = this.#scheduler;
    if (!random.chance(0.25)) return;
    await this.#callers.pause(random.below(cancelMaxMs));
    const { merchantId } = created;
    const mutation = mutationFor(makerOf(merchantId), this.#callers.operation());
    const cancel = { mutation, merchantId, batchId };
    const { orders } = this.#platform.rpc;
    const heard = await this.#callers.askTwice(() => orders.cancelBatch(cancel));
    created.isCancelled = heard.some((each) => typeof each !== "string");
    faults.count(created.isCancelled ? "order cancelled" : "order cancelled too late");
  }
}
