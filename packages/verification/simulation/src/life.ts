import { AsyncLocalStorage } from "node:async_hooks";
import type { Owner, World } from "./world.ts";

const lives = new AsyncLocalStorage<Life>();

/** The life of the process whose code runs now; `undefined` outside of every process. */
export function currentLife(): Life | undefined {
  return lives.getStore();
}

/** Timers may be late, and are so in some lives more than in others: polls cost most of a run. */
const latenessChoices = [1, 4, 8, 12];
/** Where nothing goes wrong there is little to see. */
const calmLateness = 12;

/** One process from its start to its end: what it waits for ends with it. */
export class Life implements Owner {
  readonly name: string;
  readonly world: World;
  readonly #startedMs: number;
  readonly #lateness: number;
  readonly #skewMs: () => number;
  readonly #onEnd: ((cause: string) => void)[] = [];
  #dead = false;
  #frozenUntilMs = 0;

  constructor(world: World, name: string, skewMs: () => number) {
    this.world = world;
    this.name = name;
    this.#startedMs = world.nowMs();
    this.#lateness = world.random.pick(latenessChoices);
    this.#skewMs = skewMs;
  }

  readonly isDead = (): boolean => this.#dead;
  readonly frozenUntilMs = (): number => this.#frozenUntilMs;

  /** What this process's clock says: true time and what it is off by. */
  clockMs(): number {
    return this.world.nowMs() + this.#skewMs();
  }

  /** A clock that no one sets. */
  monotonicMs(): number {
    return this.world.nowMs() - this.#startedMs;
  }

  /** Runs code as this process: its clock, its timers, its chance. */
  within<T>(work: () => T): T {
    return lives.run(this, work);
  }

  /** A timer of this process: never early. */
  timer(ms: number, run: () => void): { cancel: () => void } {
    let isCancelled = false;
    const inContext = AsyncLocalStorage.snapshot();
    const fire = () => {
      if (!isCancelled) inContext(run);
    };
    const lateness = this.world.faults.isCalm() ? calmLateness : this.#lateness;
    const delayMs = Math.max(ms, 1) * lateness;
    this.world.after(delayMs, { label: "timer", owner: this, run: fire });
    return {
      cancel: () => {
        isCancelled = true;
      },
    };
  }

  /** Stops for a while and goes on as if nothing had been. */
  freeze(ms: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.world.nowMs() + ms);
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
    this.world.note(`${this.name} ended: ${cause}`);
    for (const listener of this.#onEnd) listener(cause);
  }
}
