import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import type { RailAccount } from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { untilAnswered } from "../network/rpc-network.ts";
import { railName } from "../rail/rail.ts";
import type { RailState } from "../rail/state.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const pollMaxMs = 8_000;
const retryMs = 1_500;

/** Initial balances of the platform accounts: zero, too little or enough. */
const opening: readonly (readonly [currency: string, amounts: readonly string[]])[] = [
  ["USD", ["0", "60.00", "5000.00"]],
  ["INR", ["0", "4000.00", "500000.00"]],
];

function minorOf(text: string, currency: string): bigint {
  const amount = parseAmount(text, currency);
  return isRefused(amount) ? 0n : amount;
}

type Booking = "fund" | "sweep" | "charge";

/**
 * Funds waiting payouts, withdraws surplus money, and books the bank's charges. Keeps its own sum
 * of the platform account, as a bank would.
 */
export class Treasury {
  readonly #scheduler: Scheduler;
  readonly #rpc: Client<typeof PayoutOperatorService>;
  readonly #isFunded: boolean;
  #operations = 0;
  /** Sums of the bookings by currency, in minor units. */
  readonly moved = new Map<string, bigint>();
  readonly wrong: string[] = [];
  underWay = 0;

  constructor(
    scheduler: Scheduler,
    rpc: Client<typeof PayoutOperatorService>,
    { isFunded }: RailState,
  ) {
    this.#scheduler = scheduler;
    this.#rpc = rpc;
    this.#isFunded = isFunded;
  }

  async setUp(): Promise<void> {
    if (!this.#isFunded) return;
    for (const [currency, amounts] of opening) {
      const amount = minorOf(this.#scheduler.random.pick(amounts), currency);
      if (amount > 0n) await this.#book("fund", currency, amount);
    }
  }

  start(): void {
    if (!this.#isFunded) return;
    const poll = () => void this.#pollAccounts().finally(() => this.start());
    const delayMs = this.#scheduler.random.below(pollMaxMs);
    this.#scheduler.after(delayMs, { label: "treasury polls", run: poll });
  }

  async #pollAccounts(): Promise<void> {
    const found = await this.#answer(() => this.#rpc.listRailAccounts({ rail: railName }));
    if (typeof found === "string") {
      this.wrong.push(`the rail's accounts are ${found}`);
      return;
    }
    await Promise.all(found.accounts.map((each) => this.#tend(each)));
  }

  /**
   * Funds an account if money is missing. Otherwise withdraws money, sometimes more than is
   * available.
   */
  async #tend(account: RailAccount): Promise<void> {
    const { random, faults } = this.#scheduler;
    const { currencyCode: currency } = account;
    const isCalm = faults.isCalm();
    const missing = minorOf(account.missing, currency);
    if (missing > 0n && (isCalm || random.chance(0.7))) {
      const amount = isCalm ? missing : random.pick([missing, missing / 2n + 1n, 5n * missing]);
      await this.#book("fund", currency, amount);
      return;
    }
    if (isCalm || !random.chance(0.35)) return;
    const there = minorOf(account.available, currency);
    if (random.chance(0.4)) return this.#sweepTooEarly(currency, there + 1n);
    const amount = random.pick([there / 2n, there, there + 1n]);
    if (amount > 0n) await this.#book(random.pick(["sweep", "sweep", "charge"]), currency, amount);
  }

  /** Withdraws money before it has arrived, and books the missing money at about the same time. */
  async #sweepTooEarly(currency: string, amount: bigint): Promise<void> {
    if (amount <= 0n) return;
    const fund = async () => {
      await this.#scheduler.pause(this.#scheduler.random.below(retryMs), "money arrives");
      await this.#book("fund", currency, 1n);
    };
    await Promise.all([this.#book("sweep", currency, amount), fund()]);
  }

  /** Makes one booking. One caller sends it, or two callers send it under the same operation id. */
  async #book(what: Booking, currency: string, minor: bigint): Promise<void> {
    const { random, faults } = this.#scheduler;
    this.underWay += 1;
    this.#operations += 1;
    const mutation = create(MutationSchema, { operationId: `treasury-${this.#operations}` });
    const amount = formatAmount(minor, currency);
    const request = { mutation, rail: railName, currencyCode: currency, amount, note: "wire" };
    const call = () =>
      what === "fund"
        ? this.#rpc.fundRailAccount(request)
        : this.#rpc.sweepRailAccount({ ...request, charge: what === "charge" });
    const callers = random.chance(0.5) ? [call, call] : [call];
    const answers = await Promise.all(callers.map((each) => this.#answer<unknown>(each)));
    this.underWay -= 1;
    if (answers.every((each) => typeof each === "string")) {
      if (what !== "sweep") this.wrong.push(`${what} of ${amount} ${currency}: ${answers.join()}`);
      return;
    }
    const refusals = answers.filter((each) => typeof each === "string");
    if (refusals.length > 0) {
      this.wrong.push(`${what} of ${amount} ${currency} is booked, and ${refusals.join()}`);
    }
    faults.count(what === "fund" ? "rail account funded" : "rail account swept");
    const signed = what === "fund" ? minor : -minor;
    this.moved.set(currency, (this.moved.get(currency) ?? 0n) + signed);
  }

  #answer<T>(call: () => Promise<T>): Promise<T | string> {
    return untilAnswered(call, () => this.#scheduler.pause(retryMs, "the treasury waits"));
  }
}
