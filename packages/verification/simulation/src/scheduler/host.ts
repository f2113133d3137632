import { AsyncLocalStorage } from "node:async_hooks";
import type { Owner, Scheduler } from "./scheduler.ts";

const instances = new AsyncLocalStorage<ProcessInstance>();

/** Returns the running process's instance, or `undefined` outside of processes. */
export function currentInstance(): ProcessInstance | undefined {
  return instances.getStore();
}

/**
 * Lateness of timers. Each process has one of these values. Late timers poll less often, and
 * polling is most of a run's cost.
 */
const latenessChoices = [1, 4, 8, 12];
/** Lateness of timers without faults. Frequent polling would then find little work. */
const calmLateness = 12;

/** A process from start to end. When the process ends, all of its pending work ends too. */
export class ProcessInstance implements Owner {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly #startedMs: number;
  readonly #lateness: number;
  readonly #skewMs: () => number;
  readonly #onEnd: ((cause: string) => void)[] = [];
  #dead = false;
  #frozenUntilMs = 0;

  constructor(scheduler: Scheduler, name: string, skewMs: () => number) {
    this.scheduler = scheduler;
    this.name = name;
    this.#startedMs = scheduler.nowMs();
    this.#lateness = scheduler.random.pick(latenessChoices);
    this.#skewMs = skewMs;
  }

  readonly isDead = (): boolean => this.#dead;
  readonly frozenUntilMs = (): number => this.#frozenUntilMs;

  /** Returns the process's clock: the true time plus an error. */
  clockMs(): number {
    return this.scheduler.nowMs() + this.#skewMs();
  }

  /** Returns monotonic time. Clock changes don't affect it. */
  monotonicMs(): number {
    return this.scheduler.nowMs() - this.#startedMs;
  }

  /** Runs code as this process, with its clock, timers and randomness. */
  within<T>(work: () => T): T {
    return instances.run(this, work);
  }

  /** Starts a timer of this process. The timer never fires early. */
  timer(ms: number, run: () => void): { cancel: () => void } {
    let isCancelled = false;
    const inContext = AsyncLocalStorage.snapshot();
    const fire = () => isCancelled || inContext(run);
    const delayMs = Math.max(ms, 1) * this.#lateOf();
    this.scheduler.after(delayMs, { label: "timer", owner: this, run: fire });
    return {
      cancel: () => {
        isCancelled = true;
      },
    };
  }

  #lateOf(): number {
    if (this.scheduler.isPunctual) return 1;
    return this.scheduler.faults.isCalm() ? calmLateness : this.#lateness;
  }

  freeze(ms: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.scheduler.nowMs() + ms);
  }

  thaw(): void {
    this.#frozenUntilMs = 0;
  }

  onEnd(listener: (cause: string) => void): void {
    this.#onEnd.push(listener);
  }

  /** Ends the process immediately. Its pending work never completes. */
  end(cause: string): void {
    if (this.#dead) return;
    this.#dead = true;
    this.scheduler.note(`${this.name} ended: ${cause}`);
    for (const listener of this.#onEnd) listener(cause);
  }
}

/** Starts a process. Resolves when the process serves requests. */
export type Boot = (instance: ProcessInstance) => Promise<void>;

const restartMaxMs = 1_500;
/** Maximum durations of a suspension. The longest exceeds every lease of the services. */
const freezeMaxMs = [1_000, 4_000, 12_000, 40_000];
const clockJumpMs = 3_600_000;

export class Host {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #boot: Boot;
  #instance: ProcessInstance | undefined;
  #skewMs = 0;

  constructor(scheduler: Scheduler, name: string, boot: Boot) {
    this.#scheduler = scheduler;
    this.name = name;
    this.#boot = boot;
  }

  /** Starts a process. If the start fails, the process ends and is restarted. */
  start(): void {
    const instance = new ProcessInstance(this.#scheduler, this.name, () => this.#skewMs);
    this.#instance = instance;
    instance.onEnd(() => this.#startLater());
    const ended = (error: unknown) => instance.end(`did not start: ${String(error)}`);
    instance.within(() => this.#boot(instance)).catch(ended);
  }

  /** Injects one fault that doesn't depend on the process's work. */
  disturb(): void {
    const { faults, random } = this.#scheduler;
    const instance = this.#instance;
    if (instance === undefined || instance.isDead()) return;
    if (faults.happens("crash anywhere", 0.04)) instance.end("crash");
    if (faults.happens("process frozen", 0.025))
      instance.freeze(random.below(random.pick(freezeMaxMs)));
    if (faults.happens("clock jumped", 0.04)) {
      this.#skewMs = random.pick([-clockJumpMs, 0, clockJumpMs]);
      this.#scheduler.note(`${this.name} clock off by ${this.#skewMs} ms`);
    }
  }

  /** Ends all faults of the process, and corrects its clock. */
  heal(): void {
    this.#skewMs = 0;
    this.#instance?.thaw();
  }

  #startLater(): void {
    const delayMs = this.#scheduler.random.below(restartMaxMs);
    this.#scheduler.after(delayMs, { label: `${this.name} starts`, run: () => this.start() });
  }
}
