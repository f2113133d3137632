import type { Instruction, Rail } from "@disburse/payout/rails/rail.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const payoutsMin = 3;
const payoutsMore = 6;
const startMaxMs = 15_000;
const timeoutMs = 5_000;

/** What one process has open for its callers. */
export type OpenRail = { readonly instance: ProcessInstance; readonly rail: Rail };

/** What rail workers ask of the rail: each payout is submitted, at times again, or taken back. */
export class ChainCallers {
  readonly #scheduler: Scheduler;
  readonly #open: ReadonlyMap<string, OpenRail>;
  /** What each payout is to pay, in minor units, by its id. */
  readonly orders = new Map<string, bigint>();
  /** Payouts that the rail said it never pays. */
  readonly withdrawn = new Set<string>();

  constructor(scheduler: Scheduler, open: ReadonlyMap<string, OpenRail>) {
    this.#scheduler = scheduler;
    this.#open = open;
  }

  /** Resolves when every call has an answer. */
  async run(): Promise<void> {
    const { random } = this.#scheduler;
    const count = payoutsMin + random.below(payoutsMore);
    const keys = Array.from({ length: count }, (_each, at) => `po_${at + 1}`);
    for (const key of keys) this.orders.set(key, BigInt(1_000 + random.below(9_000_000)));
    await Promise.all(keys.map((key) => this.#pay(key)));
  }

  async #pay(key: string): Promise<void> {
    const { random, faults } = this.#scheduler;
    await this.#scheduler.pause(random.below(startMaxMs), "a caller waits");
    const submit = () => this.#ask((rail) => rail.submit(key, this.#instruction(key)));
    await Promise.all(random.chance(0.4) ? [submit(), submit()] : [submit()]);
    if (!random.chance(0.3)) return;
    await this.#scheduler.pause(random.pick([0, 300, random.below(8_000)]), "a caller waits");
    const isWithdrawn = await this.#ask((rail) => rail.withdraw?.(key) ?? Promise.resolve(false));
    if (!isWithdrawn) return;
    faults.count("chain: taken back");
    this.withdrawn.add(key);
    if (random.chance(0.5)) await submit();
  }

  #instruction(key: string): Instruction {
    const amount = this.orders.get(key) ?? 0n;
    const of = { currency: "USDC_ETH", amount, accountNumber: key, network: "ETHEREUM" };
    return of as Instruction;
  }

  /** Asks any process until one answers. */
  async #ask<T>(call: (rail: Rail) => Promise<T>): Promise<T> {
    const { random } = this.#scheduler;
    for (;;) {
      const { instance, rail } = random.pick([...this.#open.values()]);
      const late = this.#scheduler.pause(timeoutMs, "a caller gives up").then(() => undefined);
      const asked = instance.within(() => call(rail)).then((value) => ({ value }));
      const answer = await Promise.race([asked, late]).catch(() => undefined);
      if (answer !== undefined) return answer.value;
      await this.#scheduler.pause(random.below(2_000), "a caller waits");
    }
  }
}
