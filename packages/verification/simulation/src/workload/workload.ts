import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { ReturnCharges } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { stopBeneficiary } from "../network/beneficiary-stub.ts";
import { untilAnswered } from "../network/rpc-network.ts";
import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

/** A merchant's account, with what was credited to it for sure. */
export type FundedAccount = {
  readonly id: string;
  readonly merchantId: string;
  readonly beneficiaryIds: readonly string[];
};

/** What one operation was, and everything that its caller heard. */
export type Heard = {
  readonly merchantId: string;
  readonly quoteId: string;
  readonly operationId: string;
  /** `po_…`, or the code of a refusal, in the order in which they came. */
  readonly answers: string[];
  /** The beneficiary was found out before this operation began. */
  readonly isRefusedBeneficiary: boolean;
};

/** What a workload leaves to be checked. */
export type WorkloadRecord = {
  readonly answered: Heard[];
  /** Entries by account and operation of a credit. */
  readonly credits: Map<string, Set<string>>;
  /** A caller read something else than it was answered. */
  readonly wrong: string[];
  /** Payouts whose merchant was answered that they are cancelled. */
  readonly cancelled: Set<string>;
};

const merchantIds = ["mer_one", "mer_two"];
const quotesMin = 4;
const quotesMore = 7;
/** Callers come within this time, so that what they do overlaps. */
const startMaxMs = 8_000;
const retryMaxMs = 2_000;
/** A merchant cancels a payout this long after it was accepted. */
const cancelMaxMs = 12_000;
/** The longest that a quote of the workload holds. */
const quoteTtlSeconds = [6, 20, 60];

const endings = { destination: "INR", same: "USD" } as const;

/** The callers of one run, as a seed makes them. */
export class Workload {
  readonly record: WorkloadRecord = {
    ...{ answered: [], credits: new Map(), wrong: [], cancelled: new Set() },
  };
  readonly #scheduler: Scheduler;
  readonly #platform: Platform;
  #operations = 0;
  #ttlSeconds = 60;

  constructor(scheduler: Scheduler, platform: Platform) {
    this.#scheduler = scheduler;
    this.#platform = platform;
  }

  /** Corridors, merchants, accounts and endpoints, before anything goes wrong. */
  async setUp(): Promise<readonly FundedAccount[]> {
    const { random } = this.#scheduler;
    this.#ttlSeconds = random.pick(quoteTtlSeconds);
    const corridorIds = [
      await this.#corridor(endings.destination, "83.1234567891"),
      await this.#corridor(endings.same, "1"),
    ];
    const accounts: FundedAccount[] = [];
    const { quote, notifier } = this.#platform.rpc;
    for (const merchantId of merchantIds) {
      for (const corridorId of corridorIds) {
        await this.#surely((mutation) =>
          quote.setMerchantCorridor({ mutation, merchantId, corridorId, open: true }),
        );
      }
      const url = `http://hooks.example/${merchantId}`;
      await this.#surely((mutation) => notifier.createEndpoint({ mutation, merchantId, url }));
      accounts.push(await this.#account(merchantId));
    }
    return accounts;
  }

  /** Everything that callers do; resolves when each has an answer or has given up. */
  async run(accounts: readonly FundedAccount[]): Promise<void> {
    const { random } = this.#scheduler;
    const callers: Promise<void>[] = [];
    const count = quotesMin + random.below(quotesMore);
    for (let at = 0; at < count; at += 1) callers.push(this.#payOnce(random.pick(accounts)));
    for (const account of accounts) callers.push(this.#creditTwice(account));
    await Promise.all(callers);
  }

  async #corridor(destination: string, rate: string): Promise<string> {
    const { quote } = this.#platform.rpc;
    const corridor = {
      ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: destination, active: true },
      ...{ feeShare: "0.0123", feeFlat: "0.30", quoteTtlSeconds: this.#ttlSeconds },
      limits: { sourceMin: "1.00", sourceMax: "500.00" },
      returnCharges: this.#scheduler.random.pick([ReturnCharges.HOUSE, ReturnCharges.MERCHANT]),
    };
    const set = await this.#surely((mutation) => quote.setCorridor({ mutation, corridor }));
    const corridorId = set.corridor?.id ?? "";
    await this.#surely((mutation) =>
      quote.setRate({ mutation, corridorId, rate: { rate, source: "simulation" } }),
    );
    return corridorId;
  }

  async #account(merchantId: string): Promise<FundedAccount> {
    const { payout } = this.#platform.rpc;
    const opened = await this.#surely((mutation) =>
      payout.openAccount({ mutation, merchantId, currencyCode: "USD" }),
    );
    const id = opened.account?.id ?? "";
    const amount = this.#scheduler.random.pick(["150.00", "5000.00", "5000.00"]);
    await this.#surely((mutation) =>
      payout.creditAccount({ mutation, merchantId, accountId: id, amount }),
    );
    const beneficiaryIds = Object.values(endings).map((currency) => {
      const beneficiary = { id: `ben_${merchantId}_${currency}`, merchantId, currency };
      this.#platform.beneficiaries.set(beneficiary.id, { ...beneficiary, stops: [] });
      return beneficiary.id;
    });
    return { id, merchantId, beneficiaryIds };
  }

  /** A quote, and all callers that execute it. */
  async #payOnce(account: FundedAccount): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#pause(random.below(startMaxMs));
    const foundOut = random.chance(0.08);
    const quoteId = await this.#quote(account, foundOut);
    if (quoteId === undefined) return;
    if (random.chance(0.15)) {
      faults.count("quote expired");
      const aroundMs = this.#ttlSeconds * 1_000 - 100;
      await this.#pause(Math.max(aroundMs + random.below(2_000) - 1_000, 0));
    }
    const callers: Promise<void>[] = [];
    const { merchantId } = account;
    const heard = { merchantId, quoteId, isRefusedBeneficiary: foundOut };
    const operations = [this.#operationFor(merchantId)];
    if (random.chance(0.3)) operations.push(this.#operationFor(merchantId));
    for (const operationId of operations) {
      const answered = { ...heard, operationId, answers: [] };
      this.record.answered.push(answered);
      const repeats = 1 + (random.chance(0.4) ? 1 + random.below(2) : 0);
      if (repeats > 1) faults.count("operation repeated");
      for (let at = 0; at < repeats; at += 1) callers.push(this.#execute(answered));
    }
    await Promise.all(callers);
  }

  async #quote(account: FundedAccount, foundOut: boolean): Promise<string | undefined> {
    const { random } = this.#scheduler;
    const { merchantId, id: accountId } = account;
    const { beneficiaryIds } = account;
    const beneficiaryId = foundOut ? this.#suspect(merchantId) : random.pick(beneficiaryIds);
    const destination = this.#platform.beneficiaries.get(beneficiaryId)?.currency ?? "";
    const request = {
      ...{ merchantId, accountId, beneficiaryId, sourceCurrencyCode: "USD" },
      destinationCurrencyCode: destination,
      sourceAmount: `${10 + random.below(60)}.${10 + random.below(90)}`,
    };
    const made = await this.#retryUntilAvailable((mutation) =>
      this.#platform.rpc.quote.createQuote({ mutation, ...request }),
    );
    const beneficiary = this.#platform.beneficiaries.get(beneficiaryId);
    if (foundOut && beneficiary !== undefined) {
      stopBeneficiary(this.#scheduler, beneficiary, Number.POSITIVE_INFINITY);
    }
    return typeof made === "string" ? undefined : made.quote?.id;
  }

  /** A beneficiary of its own, who is found out once the quote is there. */
  #suspect(merchantId: string): string {
    const id = `ben_${merchantId}_suspect_${this.#operation()}`;
    const currency = endings.destination;
    this.#platform.beneficiaries.set(id, { id, merchantId, currency, stops: [] });
    return id;
  }

  /** Executes until there is an answer; sometimes the caller loses patience. */
  async #execute(answered: Heard): Promise<void> {
    const { random, faults } = this.#scheduler;
    const { merchantId, quoteId, operationId } = answered;
    await this.#pause(random.below(1_500));
    const { payout } = this.#platform.rpc;
    const request = { merchantId, quoteId, referenceId: `order-${quoteId.slice(-6)}` };
    const mutation = serviceMutation("gateway", operationId);
    const made = await this.#retryUntilAvailable(
      () => payout.executePayout({ mutation, ...request }),
      0.1,
    );
    if (made === "GIVEN_UP") return;
    answered.answers.push(typeof made === "string" ? made : made.payoutId);
    if (made === "INSUFFICIENT_BALANCE") faults.count("money short");
    if (typeof made === "string") return;
    const { payoutId } = made;
    const read = await this.#retryUntilAvailable(() => payout.getPayout({ merchantId, payoutId }));
    if (typeof read === "string") this.record.wrong.push(`${payoutId} is accepted, and ${read}`);
    if (random.chance(0.2)) await this.#cancel(merchantId, payoutId);
  }

  /** Asks until there is an answer: cancelled, or too late. */
  async #cancel(merchantId: string, payoutId: string): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#pause(random.pick([0, 200, 2_000, random.below(cancelMaxMs)]));
    const { payout } = this.#platform.rpc;
    const answer = await this.#retryUntilAvailable((mutation) =>
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

  /** The same credit from two callers at once, and one that is taken back. */
  async #creditTwice({ merchantId, id: accountId }: FundedAccount): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#pause(random.below(startMaxMs));
    const operationId = this.#operation();
    const mutation = serviceMutation("gateway", operationId);
    const credit = { mutation, merchantId, accountId, amount: "25.00", note: "again" };
    faults.count("credit repeated");
    const entries = new Set<string>();
    this.record.credits.set(`${accountId}:credit:${operationId}`, entries);
    const { payout } = this.#platform.rpc;
    const once = async () => {
      const made = await this.#retryUntilAvailable(() => payout.creditAccount(credit));
      entries.add(typeof made === "string" ? made : (made.entry?.id ?? "no entry"));
    };
    await Promise.all([once(), once()]);
    if (random.chance(0.5)) return;
    const [entryId = ""] = entries;
    const reversal = { merchantId, accountId, entryId, note: "a mistake" };
    const back = serviceMutation("gateway", this.#operation());
    const reverse = () =>
      this.#retryUntilAvailable(() => payout.reverseCredit({ mutation: back, ...reversal }));
    await Promise.all([reverse(), reverse()]);
  }

  /** Asks again while there is no answer. The answer, a refusal's code, or that it was given up. */
  #retryUntilAvailable<T>(
    call: (mutation: ReturnType<typeof serviceMutation>) => Promise<T>,
    impatience = 0,
  ): Promise<T | string> {
    const { random } = this.#scheduler;
    const mutation = serviceMutation("gateway", this.#operation());
    return untilAnswered(
      () => call(mutation),
      async () => {
        if (random.chance(impatience)) return "GIVEN_UP";
        return this.#pause(100 + random.below(retryMaxMs));
      },
    );
  }

  async #surely<T>(call: (mutation: ReturnType<typeof serviceMutation>) => Promise<T>): Promise<T> {
    const made = await this.#retryUntilAvailable(call);
    if (typeof made === "string") throw new Error(`the set-up was refused: ${made}`);
    return made;
  }

  /** An operation of its own, or by a mistake one that this merchant's caller used before. */
  #operationFor(merchantId: string): string {
    const { random, faults } = this.#scheduler;
    const used = this.record.answered.filter((each) => each.merchantId === merchantId);
    const isAnothers = used.length > 0 && faults.happens("operation of two quotes", 0.1);
    return isAnothers ? random.pick(used).operationId : this.#operation();
  }

  #operation(): string {
    this.#operations += 1;
    return `op-${this.#operations}`;
  }

  #pause(ms: number): Promise<void> {
    return this.#scheduler.pause(ms, "a caller waits");
  }
}
