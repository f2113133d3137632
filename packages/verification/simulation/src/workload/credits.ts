import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import { Callers } from "./callers.ts";
import type { FundedAccount } from "./set-up.ts";

const startMaxMs = 8_000;
const takenBackMaxMs = 12_000;
const amount = "75.00";
const funding = "400.00";

/** Callers that credit an account and reverse some credits. */
export class CreditCallers {
  readonly #scheduler: Scheduler;
  readonly #rpc: Platform["rpc"]["payout"];
  readonly #callers: Callers;
  /** The ledger entries that callers got, by account and by the operation of the credit. */
  readonly entries = new Map<string, Set<string>>();
  /** The answers to callers that reversed a credit, by the credit's entry. */
  readonly reversals = new Map<string, readonly string[]>();

  constructor(scheduler: Scheduler, { rpc }: Platform) {
    this.#scheduler = scheduler;
    this.#rpc = rpc.payout;
    this.#callers = new Callers(scheduler, "credit");
  }

  /**
   * Credits an account by two callers at the same time with the same operation. Most credits are
   * reversed later.
   */
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

  /** Credits an account with enough for payouts that wait for balance. */
  async fund({ merchantId, id: accountId }: FundedAccount): Promise<void> {
    await this.#credit({ merchantId, accountId }, this.#callers.operation(), funding);
  }

  async #credit(of: Account, operationId: string, credited = amount): Promise<string> {
    const request = { mutation: { operationId }, ...of, amount: credited };
    const created = await this.#callers.ask(() => this.#rpc.creditAccount(request));
    return typeof created === "string" ? created : (created.entry?.id ?? "no entry");
  }

  /**
   * Reverses a credit by two callers, sometimes after the money was spent and other money arrived.
   */
  async #takeBack(of: Account, entryId: string): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#callers.pause(random.below(takenBackMaxMs));
    const mutation = { operationId: this.#callers.operation() };
    const request = { mutation, ...of, entryId, note: "a mistake" };
    const once = async () => {
      const created = await this.#callers.ask(() => this.#rpc.reverseCredit(request));
      return typeof created === "string" ? created : "reversed";
    };
    const topUp = random.chance(0.75) ? this.#credit(of, this.#callers.operation()) : undefined;
    const [answers] = await Promise.all([Promise.all([once(), once()]), topUp]);
    if (answers.includes("INSUFFICIENT_BALANCE")) faults.count("reversal refused");
    this.reversals.set(entryId, answers);
  }
}

type Account = { readonly merchantId: string; readonly accountId: string };
