import { AsyncLocalStorage } from "node:async_hooks";
import type { Owner, Scheduler } from "./scheduler.ts";

const instances = new AsyncLocalStorage<ProcessInstance>();

/** The instance of the process whose code runs now; `undefined` outside of every process. */
export function currentInstance(): ProcessInstance | undefined {
  return instances.getStore();
}

/** Timers may be late, in some processes more than in others: polls cost most of a run. */
const latenessChoices = [1, 4, 8, 12];
/** Where nothing goes wrong there is little to see. */
const calmLateness = 12;

/** One process from its start to its end; all that it waits for ends with it. */
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

  /** What this process's clock says: true time and what it is off by. */
  clockMs(): number {
    return this.scheduler.nowMs() + this.#skewMs();
  }

  /** A clock that no one sets. */
  monotonicMs(): number {
    return this.scheduler.nowMs() - this.#startedMs;
  }

  /** Runs code as this process: its clock, its timers, its chance. */
  within<T>(work: () => T): T {
    return instances.run(this, work);
  }

  /** A timer of this process: never early. */
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

  /** The factor for a timer's time. */
  #lateOf(): number {
    if (this.scheduler.isPunctual) return 1;
    return this.scheduler.faults.isCalm() ? calmLateness : this.#lateness;
  }

  /** Stops for a while and goes on as if nothing had been. */
  freeze(ms: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.scheduler.nowMs() + ms);
  }

  thaw(): void {
    this.#frozenUntilMs = 0;
  }

  /** Calls this when the process ends. */
  onEnd(listener: (cause: string) => void): void {
    this.#onEnd.push(listener);
  }

  /** Ends here and now: nothing that it waits for ever comes. */
  end(cause: string): void {
    if (this.#dead) return;
    this.#dead = true;
    this.scheduler.note(`${this.name} ended: ${cause}`);
    for (const listener of this.#onEnd) listener(cause);
  }
}

/** What a process does when it is started; resolves when it serves. */
export type Boot = (instance: ProcessInstance) => Promise<void>;

/** A supervisor starts a process anew after this long at most. */
const restartMaxMs = 1_500;
/** Stalls, short ones and up to one that is longer than every lease of the services. */
const freezeMaxMs = [1_000, 4_000, 12_000, 40_000];
/** A clock that is set an hour ahead or behind. */
const clockJumpMs = 3_600_000;

/** A host that runs one process, and restarts it. */
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

  /** Starts a process; one that cannot start ends, and is started anew. */
  start(): void {
    const instance = new ProcessInstance(this.#scheduler, this.name, () => this.#skewMs);
    this.#instance = instance;
    instance.onEnd(() => this.#startLater());
    const ended = (error: unknown) => instance.end(`did not start: ${String(error)}`);
    instance.within(() => this.#boot(instance)).catch(ended);
  }

  /** One of what happens to processes that has nothing to do with what they do. */
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

  /** As it should be: running, with the right time. */
  heal(): void {
    this.#skewMs = 0;
    this.#instance?.thaw();
  }

  #startLater(): void {
    const delayMs = this.#scheduler.random.below(restartMaxMs);
    this.#scheduler.after(delayMs, { label: `${this.name} starts`, run: () => this.start() });
  }
}
