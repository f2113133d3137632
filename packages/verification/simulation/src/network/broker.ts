import type { Bus, BusMessage, Subscription } from "@disburse/chassis/bus/bus.ts";
import { SimulatedFault } from "../checks/process-log.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import { createOutages, type Scheduler } from "../scheduler/scheduler.ts";

const hopMs = 4;
const outageMaxMs = 8_000;
const redeliveryMs = 500;
const batchMax = 5;

type Pending = { readonly message: BusMessage };

/** Keeps confirmed messages and delivers them at least once, in any order. */
export class Broker {
  readonly outages: ReturnType<typeof createOutages>;
  readonly deadLetters: BusMessage[] = [];
  readonly #scheduler: Scheduler;
  readonly #idle: (() => void)[] = [];
  #pending: Pending[] = [];
  #isBound = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.outages = createOutages(scheduler, "bus: away", outageMaxMs);
  }

  /** Number of messages not yet stored by a consumer. */
  get depth(): number {
    return this.#pending.length;
  }

  connect(instance: ProcessInstance): Bus {
    return {
      publish: (messages) => this.#publish(instance, messages),
      subscribe: async ({ handle }) => {
        this.#isBound = true;
        this.#consume(instance, handle);
      },
      ready: () => this.outages.isUp(),
      stop: () => Promise.resolve(),
    };
  }

  #publish(instance: ProcessInstance, messages: readonly BusMessage[]): Promise<void> {
    const { faults, random } = this.#scheduler;
    return new Promise((resolve, reject) => {
      const fail = () => {
        const run = () => reject(new SimulatedFault("the broker did not confirm"));
        this.#later("publication failed", run, instance);
      };
      const arrive = () => {
        if (!this.outages.isUp() || !this.#isBound) return fail();
        const isTorn = faults.happens("bus: publication torn", 0.03);
        const kept = isTorn ? messages.slice(0, random.below(messages.length + 1)) : messages;
        for (const message of kept) this.#keep(message);
        if (isTorn || faults.happens("bus: confirm lost", 0.03)) return fail();
        this.#later("publication confirmed", resolve, instance);
      };
      this.#later(`${instance.name} publishes`, arrive);
    });
  }

  #keep(message: BusMessage): void {
    this.#pending.push({ message });
    for (const wake of this.#idle.splice(0)) wake();
  }

  /**
   * Delivers messages to one consumer until that consumer ends. Messages that were not stored are
   * delivered again.
   */
  #consume(instance: ProcessInstance, handle: Subscription["handle"]): void {
    const next = (delayMs: number) => {
      const run = () => {
        if (this.#pending.length === 0) this.#idle.push(() => next(hopMs));
        else void this.#deliver(handle).then(next, () => next(redeliveryMs));
      };
      const label = "is given messages";
      this.#scheduler.after(delayMs, { label, owner: instance, run: () => instance.within(run) });
    };
    next(hopMs);
  }

  async #deliver(handle: Subscription["handle"]): Promise<number> {
    const { faults, random } = this.#scheduler;
    if (!this.outages.isUp()) return redeliveryMs;
    const batch = this.#someOf();
    const dispositions = await handle(batch.map(({ message }) => message));
    const isRepeated = faults.happens("bus: delivered twice", 0.08);
    if (isRepeated) return random.below(redeliveryMs);
    const stored = new Set(batch);
    this.#pending = this.#pending.filter((each) => !stored.has(each));
    for (const [at, disposition] of dispositions.entries()) {
      const message = batch[at]?.message;
      if (disposition === "dead" && message !== undefined) this.deadLetters.push(message);
    }
    return hopMs;
  }

  #someOf(): Pending[] {
    const { faults, random } = this.#scheduler;
    if (!faults.happens("bus: out of order", 0.3)) return this.#pending.slice(0, batchMax);
    const some = this.#pending.filter(() => random.chance(0.5));
    const shuffled = some.map((each) => ({ each, order: random.fraction() }));
    const inOrder = shuffled.toSorted((one, other) => one.order - other.order);
    const taken = inOrder.map(({ each }) => each).slice(0, batchMax);
    return taken.length > 0 ? taken : this.#pending.slice(-1);
  }

  #later(label: string, run: () => void, owner?: ProcessInstance): void {
    this.#scheduler.after(this.#scheduler.random.fraction() * hopMs, { label, run, owner });
  }
}
