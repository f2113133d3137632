import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { Callers } from "./callers.ts";
import type { FundedAccount } from "./set-up.ts";

/** Callers come within this time. */
const startMaxMs = 8_000;
/** A credit is taken back this long after it was made. */
const takenBackMaxMs = 12_000;
const amount = "75.00";

/** Callers that credit an account, and take some credits back. */
export class CreditCallers {
  readonly #scheduler: Scheduler;
  readonly #rpc: Platform["rpc"]["payout"];
  readonly #callers: Callers;
  /** The entries that callers were answered with, by account and operation of a credit. */
  readonly entries = new Map<string, Set<string>>();
  /** What each caller was answered who took a credit back, by the credit's entry. */
  readonly reversals = new Map<string, readonly string[]>();

  constructor(scheduler: Scheduler, { rpc }: Platform) {
    this.#scheduler = scheduler;
    this.#rpc = rpc.payout;
    this.#callers = new Callers(scheduler, "credit");
  }

  /** The same credit from two callers at once; most are taken back. */
  async run({ merchantId, id: accountId }: FundedAccount): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#callers.pause(random.below(startMaxMs));
    const operationId = this.#callers.operation();
    faults.count("credit repeated");
    const entries = new Set<string>();
    this.entries.set(`${accountId}:credit:${operationId}`, entries);
    const of = { merchantId, accountId };
    const once = async () => void entries.add(await this.#credit(of, operationId));
    await Promise.all([once(), once()]);
    if (random.chance(0.25)) return;
    const [entryId = ""] = entries;
    await this.#takeBack(of, entryId);
  }

  /** The entry of a credit, or the code of a refusal. */
  async #credit(of: Account, operationId: string): Promise<string> {
    const request = { mutation: { operationId }, ...of, amount };
    const made = await this.#callers.ask(() => this.#rpc.creditAccount(request));
    return typeof made === "string" ? made : (made.entry?.id ?? "no entry");
  }

  /** Two callers take a credit back, at times when it is spent and more is credited. */
  async #takeBack(of: Account, entryId: string): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#callers.pause(random.below(takenBackMaxMs));
    const mutation = { operationId: this.#callers.operation() };
    const request = { mutation, ...of, entryId, note: "a mistake" };
    const once = async () => {
      const made = await this.#callers.ask(() => this.#rpc.reverseCredit(request));
      return typeof made === "string" ? made : "reversed";
    };
    const topUp = random.chance(0.75) ? this.#credit(of, this.#callers.operation()) : undefined;
    const [answers] = await Promise.all([Promise.all([once(), once()]), topUp]);
    if (answers.includes("INSUFFICIENT_BALANCE")) faults.count("reversal refused");
    this.reversals.set(entryId, answers);
  }
}

type Account = { readonly merchantId: string; readonly accountId: string };
