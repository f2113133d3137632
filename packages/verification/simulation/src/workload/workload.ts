import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { stopBeneficiary } from "../network/beneficiary-stub.ts";
import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { BatchCallers } from "./batches.ts";
import { Callers, makerOf, mutationFor } from "./callers.ts";
import { type MerchantControls, setControls } from "./controls.ts";
import { CreditCallers } from "./credits.ts";
import { ScheduledCallers } from "./scheduled.ts";
import { endings, type FundedAccount, lowBalance, merchantIds, SetUp } from "./set-up.ts";

export type Heard = {
  readonly merchantId: string;
  readonly quoteId: string;
  readonly operationId: string;
  /** `po_…` or refusal codes, in order. */
  readonly answers: string[];
  /** True if the beneficiary was stopped before this operation began. */
  readonly isRefusedBeneficiary: boolean;
  /** The quote's reference, and whether the execute skips the duplicate check. */
  readonly referenceId: string;
  readonly allowDuplicate: boolean;
  /** Set if the payout may wait for balance. */
  readonly queueing?: Queueing;
};

/** The fields of an execute whose payout may wait for balance. */
type Queueing = {
  readonly queueIfLowBalance: true;
  readonly maxSourceAmount: string;
  readonly expiresAt: string;
};

/** A bill that a caller has paid or will pay. */
type Bill = {
  readonly account: FundedAccount;
  readonly beneficiaryId: string;
  readonly sourceAmount: string;
  /** True if the amount is what the beneficiary receives. */
  readonly isReceiving: boolean;
  readonly referenceId: string;
  /** Times at which quoting and executing begin. Two entries if two callers pay at once. */
  readonly startMs: number;
  readonly executeMs: number;
  /** Maximum time between the executes of this operation's callers. */
  readonly spreadMs: number;
};

export type WorkloadRecord = {
  readonly answered: Heard[];
  /** Problems found by reads that contradict an earlier answer. */
  readonly wrong: string[];
  /** Payouts for which the merchant was told that they are cancelled. */
  readonly cancelled: Set<string>;
  readonly reissued: Map<string, Set<string>>;
};

const quotesMin = 4;
const quotesMore = 7;
/** Maximum start time of callers, so that their operations overlap. */
const startMaxMs = 8_000;
const fundingMaxMs = 16_000;
const executeAfterMs = 1_500;
const togetherMs = 40;
const cancelMaxMs = 12_000;
const reissueMaxMs = 20_000;
const quoteTtlSeconds = [6, 20, 60];

export class Workload {
  readonly record: WorkloadRecord = {
    answered: [],
    wrong: [],
    cancelled: new Set(),
    reissued: new Map(),
  };
  readonly #scheduler: Scheduler;
  readonly #platform: Platform;
  readonly #callers: Callers;
  readonly #bills: Bill[] = [];
  readonly scheduled: ScheduledCallers;
  readonly batches: BatchCallers;
  readonly credits: CreditCallers;
  #ttlSeconds = 60;
  #corridors: SetUp["corridors"] = [];
  #beganMs = 0;
  controls: ReadonlyMap<string, MerchantControls> = new Map();

  constructor(scheduler: Scheduler, platform: Platform) {
    this.#scheduler = scheduler;
    this.#platform = platform;
    this.#callers = new Callers(scheduler, "op");
    this.scheduled = new ScheduledCallers(scheduler, platform);
    this.batches = new BatchCallers(scheduler, platform);
    this.credits = new CreditCallers(scheduler, platform);
  }

  /** Creates corridors, accounts, endpoints and controls before faults begin. */
  async setUp(): Promise<readonly FundedAccount[]> {
    const { random } = this.#scheduler;
    this.#ttlSeconds = random.pick(quoteTtlSeconds);
    const opening = new SetUp(this.#scheduler, this.#platform, this.#callers);
    const accounts = await opening.open(this.#ttlSeconds, merchantIds, [lowBalance]);
    this.#corridors = opening.corridors;
    await opening.watch(accounts);
    this.controls = await setControls(this.#scheduler, this.#platform, this.#callers, merchantIds);
    return accounts;
  }

  /** Runs all callers. Resolves when each has an answer or has given up. */
  async run(accounts: readonly FundedAccount[]): Promise<void> {
    const { random } = this.#scheduler;
    this.#beganMs = this.#scheduler.nowMs();
    const callers: Promise<void>[] = [];
    const count = quotesMin + random.below(quotesMore);
    for (let at = 0; at < count; at += 1) callers.push(this.#payOnce(this.#bill(accounts)));
    for (const account of accounts) {
      callers.push(this.credits.run(account));
      if (random.chance(0.6)) callers.push(this.#fundLate(account));
    }
    if (random.chance(0.75)) callers.push(this.#changeRates());
    for (const account of accounts) {
      const terms = () => this.#terms(account);
      if (random.chance(0.4)) callers.push(this.scheduled.run(account, terms));
      if (random.chance(0.35)) {
        callers.push(this.batches.run(account, terms, this.controls.get(account.merchantId)));
      }
    }
    await Promise.all(callers);
  }

  /** Raises and lowers the rates, so that a later quote costs more or less. */
  async #changeRates(): Promise<void> {
    const { random } = this.#scheduler;
    for (let changes = 1 + random.below(4); changes > 0; changes -= 1) {
      await this.#pause(random.below(startMaxMs));
      await this.#changeRate(random.pick(this.#corridors));
    }
  }

  async #changeRate({ id: corridorId, laterRates }: SetUp["corridors"][number]): Promise<void> {
    const { random, faults } = this.#scheduler;
    const rate = { rate: random.pick(laterRates), source: "simulation" };
    const set = await this.#retryUntilAvailable((mutation) =>
      this.#platform.rpc.quote.setRate({ mutation, corridorId, rate }),
    );
    if (typeof set === "string") this.record.wrong.push(`a rate was not set: ${set}`);
    faults.count("rate changed");
  }

  /** Funds an account after most payouts began. Those that wait then often have another price. */
  async #fundLate(account: FundedAccount): Promise<void> {
    const { random } = this.#scheduler;
    await this.#pause(random.below(fundingMaxMs));
    if (random.chance(0.6))
      await Promise.all(this.#corridors.map((each) => this.#changeRate(each)));
    await this.credits.fund(account);
  }

  /** Chooses a bill. Sometimes chooses a bill that was already paid. */
  #bill(accounts: readonly FundedAccount[]): Bill {
    const { random, faults } = this.#scheduler;
    if (this.#bills.length > 0 && random.chance(0.3)) {
      faults.count("paid twice by a merchant");
      const bill = random.pick(this.#bills);
      return random.chance(0.5) ? this.#retyped(bill) : bill;
    }
    const account = random.pick(accounts);
    const referenceId = this.#callers.operation();
    const startMs = random.below(startMaxMs);
    const executeMs = startMs + random.below(executeAfterMs);
    const spreadMs = random.pick([togetherMs, togetherMs, executeAfterMs]);
    const times = { startMs, executeMs, spreadMs, isReceiving: random.chance(0.6) };
    const bill = { ...this.#terms(account), account, referenceId, ...times };
    this.#bills.push(bill);
    return bill;
  }

  /**
   * Returns the same bill as another program would enter it, with another record and another
   * spelling.
   */
  #retyped(bill: Bill): Bill {
    const { random, faults } = this.#scheduler;
    faults.count("paid twice by another record");
    const id = `${bill.beneficiaryId}_again`;
    const known = this.#platform.beneficiaries.get(bill.beneficiaryId);
    if (known === undefined) throw new Error("the beneficiary of a bill doesn't exist");
    if (!this.#platform.beneficiaries.has(id)) {
      const again = { ...known, id, stops: [] };
      this.#platform.beneficiaries.set(id, again);
    }
    const referenceId = random.pick([
      bill.referenceId,
      bill.referenceId.toUpperCase(),
      `\u200b${bill.referenceId}`,
    ]);
    return { ...bill, beneficiaryId: id, referenceId };
  }

  #terms({ beneficiaryIds }: FundedAccount) {
    const { random } = this.#scheduler;
    const sourceAmount = `${10 + random.below(60)}.${10 + random.below(90)}`;
    return { beneficiaryId: random.pick(beneficiaryIds), sourceAmount };
  }

  async #payOnce(bill: Bill): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#pause(bill.startMs);
    const foundOut = random.chance(0.08);
    const quoteId = await this.#quote(bill, foundOut);
    if (quoteId === undefined) return;
    if (random.chance(0.15)) {
      faults.count("quote expired");
      const aroundMs = this.#ttlSeconds * 1_000 - 100;
      await this.#pause(Math.max(aroundMs + random.below(2_000) - 1_000, 0));
    }
    const callers: Promise<void>[] = [];
    const { merchantId } = bill.account;
    const { referenceId } = bill;
    const heard = { merchantId, quoteId, isRefusedBeneficiary: foundOut, referenceId };
    const operations = [this.#operationFor(merchantId)];
    if (random.chance(0.3)) operations.push(this.#operationFor(merchantId));
    for (const operationId of operations) {
      const allowDuplicate = random.chance(0.1);
      const queueing = random.chance(0.7) ? this.#queueing() : undefined;
      const own = { operationId, allowDuplicate, answers: [] };
      const answered = { ...heard, ...own, ...(queueing && { queueing }) };
      this.record.answered.push(answered);
      const repeats = 1 + (random.chance(0.4) ? 1 + random.below(2) : 0);
      if (repeats > 1) faults.count("operation repeated");
      for (let at = 0; at < repeats; at += 1) callers.push(this.#execute(answered, bill));
    }
    await Promise.all(callers);
  }

  /** Returns the amount that the beneficiary receives, in its own currency. */
  #received({ beneficiaryId, sourceAmount }: Bill) {
    const isSame = this.#platform.beneficiaries.get(beneficiaryId)?.currency === endings.same;
    return { receivingAmount: isSame ? sourceAmount : sourceAmount.replace(".", "5.") };
  }

  /** Chooses how a payout may wait. Some wait only as long as faults occur. */
  #queueing(): Queueing {
    const { random } = this.#scheduler;
    const lastsMs = random.pick([4_000, 15_000, 3_600_000]);
    const expiresAt = new Date(this.#scheduler.nowMs() + lastsMs + executeAfterMs).toISOString();
    return {
      queueIfLowBalance: true,
      maxSourceAmount: random.chance(0.3) ? "499.00" : "",
      expiresAt: random.chance(0.7) ? expiresAt : "",
    };
  }

  async #quote(bill: Bill, foundOut: boolean): Promise<string | undefined> {
    const { merchantId, id: accountId } = bill.account;
    const beneficiaryId = foundOut ? this.#suspect(merchantId) : bill.beneficiaryId;
    const beneficiary = this.#platform.beneficiaries.get(beneficiaryId);
    const request = {
      merchantId,
      accountId,
      beneficiaryId,
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: beneficiary?.currency ?? "",
      ...(bill.isReceiving ? this.#received(bill) : { sourceAmount: bill.sourceAmount }),
    };
    const created = await this.#retryUntilAvailable((mutation) =>
      this.#platform.rpc.quote.createQuote({ mutation, ...request }),
    );
    if (foundOut && beneficiary !== undefined) {
      stopBeneficiary(this.#scheduler, beneficiary, Number.POSITIVE_INFINITY);
    }
    return typeof created === "string" ? undefined : created.quote?.id;
  }

  /** Creates a beneficiary that is stopped when a quote for it exists. */
  #suspect(merchantId: string): string {
    const id = `ben_${merchantId}_suspect_${this.#callers.operation()}`;
    const currency = endings.destination;
    const suspect = {
      id,
      merchantId,
      currency,
      destination: `account of ${id}`,
      createdAt: this.#scheduler.now(),
      stops: [],
    };
    this.#platform.beneficiaries.set(id, suspect);
    return id;
  }

  /** Executes a quote until it is answered. Sometimes the caller gives up. */
  async #execute(answered: Heard, { executeMs, spreadMs }: Bill): Promise<void> {
    const { random, faults } = this.#scheduler;
    const { merchantId, quoteId, operationId, referenceId, allowDuplicate } = answered;
    const { queueing } = answered;
    const untilMs = Math.max(this.#beganMs + executeMs - this.#scheduler.nowMs(), 0);
    await this.#pause(untilMs + random.below(spreadMs));
    const { payout } = this.#platform.rpc;
    const request = { merchantId, quoteId, referenceId, allowDuplicate, ...queueing };
    const mutation = mutationFor(makerOf(merchantId), operationId);
    const created = await this.#callers.ask(
      () => payout.executePayout({ mutation, ...request }),
      0.1,
    );
    if (created === "GIVEN_UP") return;
    answered.answers.push(typeof created === "string" ? created : created.payoutId);
    if (created === "INSUFFICIENT_BALANCE") faults.count("money short");
    if (created === "POSSIBLE_DUPLICATE") faults.count("possible duplicate refused");
    if (typeof created === "string") return;
    const { payoutId } = created;
    const read = await this.#callers.ask(() => payout.getPayout({ merchantId, payoutId }));
    if (typeof read === "string") this.record.wrong.push(`${payoutId} is accepted, and ${read}`);
    const isWaiting = created.subStatus === PayoutSubStatus.AWAITING_BALANCE;
    if (random.chance(isWaiting ? 0.3 : 0.2)) await this.#cancel(merchantId, payoutId);
    else if (random.chance(0.3)) await this.#reissue(merchantId, payoutId);
  }

  async #reissue(merchantId: string, payoutId: string): Promise<void> {
    const { random } = this.#scheduler;
    await this.#pause(random.below(reissueMaxMs));
    const answers = await reissueOnce(this.#platform, this.#callers, { merchantId, payoutId });
    const created = answers.filter((each) => each.startsWith("po_"));
    const known = this.record.reissued.get(payoutId) ?? new Set();
    if (created.length > 0) this.#scheduler.faults.count("reissued");
    this.record.reissued.set(payoutId, new Set([...known, ...created]));
  }

  /** Cancels a payout, and repeats until the answer is "cancelled" or "too late". */
  async #cancel(merchantId: string, payoutId: string): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#pause(random.pick([0, 200, 2_000, random.below(cancelMaxMs)]));
    const { payout } = this.#platform.rpc;
    const mutation = mutationFor(makerOf(merchantId), this.#callers.operation());
    const answer = await this.#callers.ask(() =>
      payout.cancelPayout({ mutation, merchantId, payoutId }),
    );
    if (answer === "NOT_CANCELLABLE") return faults.count("cancelled too late");
    if (typeof answer === "string") {
      this.record.wrong.push(`${payoutId} is there, and cancelling it is ${answer}`);
      return;
    }
    faults.count("cancelled by its merchant");
    this.record.cancelled.add(payoutId);
  }

  /** Repeats a call until it is answered. Returns the result or a refusal code. */
  #retryUntilAvailable<T>(
    call: (mutation: { readonly operationId: string }) => Promise<T>,
  ): Promise<T | string> {
    const mutation = { operationId: this.#callers.operation() };
    return this.#callers.ask(() => call(mutation));
  }

  /**
   * Returns a new operation id. Sometimes returns one that this merchant's caller has already used,
   * by mistake.
   */
  #operationFor(merchantId: string): string {
    const { random, faults } = this.#scheduler;
    const used = this.record.answered.filter((each) => each.merchantId === merchantId);
    const isAnothers = used.length > 0 && faults.happens("operation of two quotes", 0.1);
    return isAnothers ? random.pick(used).operationId : this.#callers.operation();
  }

  #pause(ms: number): Promise<void> {
    return this.#callers.pause(ms);
  }
}

/**
 * Reissues a payout, sometimes with two concurrent requests. Returns the new payouts' ids and
 * refusal codes.
 */
async function reissueOnce(
  { rpc }: Pick<Platform, "rpc">,
  callers: Callers,
  { merchantId, payoutId }: { readonly merchantId: string; readonly payoutId: string },
): Promise<string[]> {
  const request = async (): Promise<string[]> => {
    const mutation = mutationFor(makerOf(merchantId), callers.operation());
    const ask = () => rpc.payout.reissuePayout({ mutation, merchantId, payoutId });
    const answers = await callers.askTwice(ask);
    return answers.map((each) => (typeof each === "string" ? each : (each.payout?.id ?? "")));
  };
  return (await Promise.all([request(), request()])).flat();
}
