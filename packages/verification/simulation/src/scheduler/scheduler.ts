import { createRandom, type Random } from "@disburse/harness/random.ts";
import { createFaults, type FaultKind, type Faults } from "../faults.ts";

/** Something that can be waited for by a process, and dies with it. */
export type Owner = {
  readonly name: string;
  /** Ended, and never again. */
  readonly isDead: () => boolean;
  /** Does nothing before this moment of virtual time. */
  readonly frozenUntilMs: () => number;
};

type Scheduled = Task & Plan;

/** What is to happen, in whose name, and what instead if its owner is dead by then. */
export type Plan = {
  readonly label: string;
  readonly run: () => void;
  readonly owner?: Owner | undefined;
  readonly onDead?: (() => void) | undefined;
};

/**
 * Runs one task after another, in an order that a seed decides. All waiting of the code under test
 * is for tasks of this queue, so nothing else decides what happens next.
 */
export class Scheduler {
  readonly random: Random;
  readonly faults: Faults;
  readonly #queue = new TaskQueue<Scheduled>();
  readonly #listen: ((line: string) => void) | undefined;
  #nowMs: number;
  #hash = 0x811c9dc5;
  /** Timers of processes are on time, not late as on a busy machine. */
  isPunctual = false;
  /** How many tasks were run. */
  steps = 0;

  /** `chance`: a seed, or a generator that decides all the same without one. */
  constructor(chance: number | Random, startMs: number, listen?: (line: string) => void) {
    this.random = typeof chance === "number" ? createRandom(chance) : chance;
    this.faults = createFaults(this.random);
    this.#nowMs = startMs;
    this.#listen = listen;
  }

  /** True time, which processes' clocks may differ from. */
  nowMs(): number {
    return this.#nowMs;
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Of everything that happened so far: two runs with the same one were the same. */
  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, "0");
  }

  /** Lets something happen after a delay; at one moment the seed decides who is first. */
  after(delayMs: number, plan: Plan): void {
    const order = this.random.fraction();
    this.#queue.push({ dueMs: this.#nowMs + delayMs, order, ...plan });
  }

  /** A wait of a caller outside of every process. */
  pause(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => this.after(ms, { label, run: resolve }));
  }

  /** Notes something that happened, for the trace and its hash. */
  note(line: string): void {
    let hash = this.#hash;
    const text = `${this.#nowMs} ${line}`;
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    this.#hash = hash;
    this.#listen?.(text);
  }

  /** Runs until `isDone`, until nothing is left, or until a moment of virtual time has passed. */
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

  /** Puts the clock forward, as after a long sleep: what was due meanwhile is late. */
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

/** When a part of the platform that all share is down: from time to time, until all is healed. */
export function createOutages(scheduler: Scheduler, kind: FaultKind, maxMs: number) {
  const { faults, random } = scheduler;
  let upAgainMs = 0;
  return {
    isUp: () => scheduler.nowMs() >= upAgainMs,
    /** Goes down for a while, if the seed says so. */
    disturb: () => {
      if (faults.happens(kind, 0.05)) upAgainMs = scheduler.nowMs() + random.below(maxMs);
    },
    heal: () => {
      upAgainMs = 0;
    },
  };
}

/** Timers, sockets and the test runner get a turn after so many steps. */
const stepsInTurn = 2_000;

/**
 * Resolves when all code that can go on has gone on and waits for the next task: Node runs its tick
 * queue when no promise's reaction is left.
 */
function rest(step: number): Promise<void> {
  return new Promise((resolve) => {
    if (step % stepsInTurn === 0) setImmediate(resolve);
    else process.nextTick(resolve);
  });
}

/** An effect's outcome as it is now, to be given later; an error that is no answer is thrown. */
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

/** Something that happens at a moment of virtual time. */
export type Task = {
  /** Milliseconds of virtual time. */
  readonly dueMs: number;
  /** Decides among tasks of one moment. */
  readonly order: number;
  readonly run: () => void;
};

/** The tasks to come in reverse, the next one last: most that join it are soon due. */
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
