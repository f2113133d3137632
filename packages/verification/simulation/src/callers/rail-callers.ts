import type { Instruction, Rail } from "@disburse/rail/rail.ts";
import type { FaultKind } from "../faults.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const payoutsMin = 3;
const payoutsMore = 6;
const startMaxMs = 15_000;
const timeoutMs = 5_000;

export type OpenRail = { readonly instance: ProcessInstance; readonly rail: Rail };

export type CallersOf = {
  readonly scheduler: Scheduler;
  readonly open: ReadonlyMap<string, OpenRail>;
  /** Creates the instruction for a payout's number and amount. */
  readonly instructionOf: (number: number, amount: bigint) => Instruction;
  /** The fault to count when the rail reports that it will never pay a payout. */
  readonly takenBack: FaultKind;
};

/** Simulates rail workers: submits each payout, sometimes repeatedly, or withdraws it. */
export class RailCallers {
  readonly #of: CallersOf;
  readonly orders = new Map<string, bigint>();
  /** Payouts that the rail reported as never paid. */
  readonly withdrawn = new Set<string>();
  /** Payouts with a withdrawal that got no answer. It may still happen, after a later refusal. */
  readonly mayBeWithdrawn = new Set<string>();

  constructor(of: CallersOf) {
    this.#of = of;
  }

  async run(): Promise<void> {
    const { random } = this.#of.scheduler;
    const count = payoutsMin + random.below(payoutsMore);
    const numbers = Array.from({ length: count }, (_each, at) => at + 1);
    for (const number of numbers) {
      this.orders.set(keyOf(number), BigInt(1_000 + random.below(9_000_000)));
    }
    await Promise.all(numbers.map((number) => this.#pay(number)));
  }

  async #pay(number: number): Promise<void> {
    const { scheduler, instructionOf, takenBack } = this.#of;
    const { random, faults } = scheduler;
    const key = keyOf(number);
    const instruction = instructionOf(number, this.orders.get(key) ?? 0n);
    await scheduler.pause(random.below(startMaxMs), "a caller waits");
    const submit = () => this.#ask((rail) => rail.submit(key, instruction));
    await Promise.all(random.chance(0.4) ? [submit(), submit()] : [submit()]);
    if (!random.chance(0.3)) return;
    await scheduler.pause(random.pick([0, 300, random.below(8_000)]), "a caller waits");
    const isWithdrawn = await this.#ask(
      (rail) => rail.withdraw?.(key) ?? Promise.resolve(false),
      () => this.mayBeWithdrawn.add(key),
    );
    if (!isWithdrawn) return;
    faults.count(takenBack);
    this.withdrawn.add(key);
    if (random.chance(0.5)) await submit();
  }

  /** Calls processes until one answers. Reports each call without an answer. */
  async #ask<T>(call: (rail: Rail) => Promise<T>, onLost?: () => void): Promise<T> {
    const { scheduler, open } = this.#of;
    const { random } = scheduler;
    for (;;) {
      const { instance, rail } = random.pick([...open.values()]);
      const late = scheduler.pause(timeoutMs, "a caller gives up").then(() => undefined);
      const called = instance.within(() => call(rail)).then((value) => ({ value }));
      const answer = await Promise.race([called, late]).catch(() => undefined);
      if (answer !== undefined) return answer.value;
      onLost?.();
      await scheduler.pause(random.below(2_000), "a caller waits");
    }
  }
}

const idDigits = 26;

/** Returns the payout id for a number, from 1. */
export function keyOf(number: number): string {
  return `po_${String(number).padStart(idDigits, "0")}`;
}
