import { createRandom, type Random } from "@disburse/harness/random.ts";
import { createFaults, type FaultKind, type Faults } from "../faults.ts";

/** An owner of pending work. When the owner ends, its work ends too. */
export type Owner = {
  readonly name: string;
  readonly isDead: () => boolean;
  /** The virtual time until which the owner is suspended. */
  readonly frozenUntilMs: () => number;
};

type Scheduled = Task & Plan;

/** A scheduled action with its owner, and an alternative action if the owner has ended by then. */
export type Plan = {
  readonly label: string;
  readonly run: () => void;
  readonly owner?: Owner | undefined;
  readonly onDead?: (() => void) | undefined;
};

/**
 * Runs tasks one after another, in an order that the seed decides. The tested code waits only for
 * tasks of this queue, so nothing else affects the order.
 */
export class Scheduler {
  readonly random: Random;
  readonly faults: Faults;
  readonly #queue = new TaskQueue<Scheduled>();
  readonly #listen: ((line: string) => void) | undefined;
  #nowMs: number;
  #hash = 0x811c9dc5;
  /** True if process timers fire on time. Otherwise they are late, as on a busy machine. */
  isPunctual = false;
  steps = 0;

  /** `chance` is a seed, or another deterministic generator. */
  constructor(chance: number | Random, startMs: number, listen?: (line: string) => void) {
    this.random = typeof chance === "number" ? createRandom(chance) : chance;
    this.faults = createFaults(this.random);
    this.#nowMs = startMs;
    this.#listen = listen;
  }

  /** Returns the true time. The clocks of processes may differ from it. */
  nowMs(): number {
    return this.#nowMs;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Hash of all events so far. Runs with equal hashes were equal. */
  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, "0");
  }

  /** Schedules an action. The seed decides the order of actions with the same time. */
  after(delayMs: number, plan: Plan): void {
    const order = this.random.fraction();
    this.#queue.push({ dueMs: this.#nowMs + delayMs, order, ...plan });
  }

  pause(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => this.after(ms, { label, run: resolve }));
  }

  note(line: string): void {
    let hash = this.#hash;
    const text = `${this.#nowMs} ${line}`;
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    this.#hash = hash;
    this.#listen?.(text);
  }

  /** Runs until `isDone`, until no tasks are left, or until a virtual time has passed. */
  async run(isDone: () => boolean, untilMs: number, stepsMax: number): Promise<boolean> {
    for (;;) {
      if (isDone()) return true;
      if (this.steps >= stepsMax) return false;
      const next = this.#queue.peek();
      if (next === undefined || next.dueMs > untilMs) {
        this.#nowMs = Math.max(this.#nowMs, untilMs);
        return false;
      }
      this.#queue.pop();
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      if (this.#postponed(next)) continue;
      this.steps += 1;
      await this.#happen(next);
    }
  }

  /** Advances the clock, as after a long sleep. Work that was due in the meantime is late. */
  advance(toMs: number): void {
    this.note(`the clock advances by ${toMs - this.#nowMs} ms`);
    this.#nowMs = Math.max(this.#nowMs, toMs);
  }

  async #happen({ label, owner, run, onDead }: Scheduled): Promise<void> {
    if (owner?.isDead()) {
      if (onDead === undefined) return;
      onDead();
    } else {
      this.note(owner === undefined ? label : `${owner.name} ${label}`);
      run();
    }
    await rest(this.steps);
  }

  #postponed(task: Scheduled): boolean {
    const { owner } = task;
    if (owner === undefined || owner.isDead()) return false;
    const frozenUntilMs = owner.frozenUntilMs();
    if (frozenUntilMs <= this.#nowMs) return false;
    this.#queue.push({ ...task, dueMs: frozenUntilMs });
    return true;
  }
}

/** Schedules outages of a shared part, until faults end. */
export function createOutages(scheduler: Scheduler, kind: FaultKind, maxMs: number) {
  const { faults, random } = scheduler;
  let upAgainMs = 0;
  return {
    isUp: () => scheduler.nowMs() >= upAgainMs,
    disturb: () => {
      if (faults.happens(kind, 0.05)) upAgainMs = scheduler.nowMs() + random.below(maxMs);
    },
    heal: () => {
      upAgainMs = 0;
    },
  };
}

/** After this many steps, the scheduler yields to timers, sockets and the test runner. */
const stepsInTurn = 2_000;

/**
 * Resolves when all code waits for the next task. Node runs its tick queue after all promise
 * reactions.
 */
function rest(step: number): Promise<void> {
  return new Promise((resolve) => {
    if (step % stepsInTurn === 0) setImmediate(resolve);
    else process.nextTick(resolve);
  });
}

/**
 * Captures the result or error of an action for later delivery. Throws errors that are not answers.
 */
export function settlement<T>(
  effect: () => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
  isAnswer: (error: unknown) => boolean = () => true,
): () => void {
  try {
    const value = effect();
    return () => resolve(value);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return () => reject(error);
  }
}

export type Task = {
  /** Time at which the task is due, in ms of virtual time. */
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
};

/**
 * Tasks sorted in reverse order, with the next task last. Most new tasks are due soon, so inserting
 * one moves few others.
 */
export class TaskQueue<T extends Task> {
  readonly #tasks: T[] = [];

  peek(): T | undefined {
    return this.#tasks.at(-1);
  }

  push(task: T): void {
    const at = this.#tasks.findLastIndex((each) => isBefore(task, each)) + 1;
    this.#tasks.splice(at, 0, task);
  }

  pop(): T | undefined {
    return this.#tasks.pop();
  }
}

function isBefore(one: Task, other: Task): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}
