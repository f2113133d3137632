import { MongoServerError } from "mongodb";
import type { Outcome, Step } from "./collection.ts";
import { Rows } from "./rows.ts";
import { Table } from "./table.ts";
import type { Document } from "./value.ts";

/** The write of one document in a primary's log. */
type Entry = {
  readonly primary: Primary;
  readonly collection: string;
  readonly id: string;
  readonly before: Document | undefined;
  readonly after: Document | undefined;
  readonly writtenMs: number;
  /** A majority has the entry from this time, unless the primary was cut off before. */
  readonly replicatedMs: number;
  isCommitted: boolean;
};

type StepRun = { readonly outcome: Outcome; readonly entries: readonly Entry[] };

/** A command that a primary ran. */
export type Execution = {
  readonly steps: readonly StepRun[];
  readonly outcomes: readonly Outcome[];
  /**
   * The last entry of the log when the command ended. A majority that has it also has everything
   * that the command read and wrote.
   */
  readonly last: Entry | undefined;
  readonly isChanged: boolean;
};

export type Run = {
  readonly isOrdered: boolean;
  readonly steps: readonly Step[];
  readonly filterOf: (step: Step) => Document;
  /** Time until a majority has the writes. */
  readonly lagMs: number;
  /** The first try, if the driver repeats the command with its transaction number. */
  readonly earlier?: Execution | undefined;
};

export type OnCommit = (
  collection: string,
  before: Document | undefined,
  after: Document | undefined,
  writtenMs: number,
) => void;

export type ReadFrom = "primary" | "majority" | "secondary";

type Shared = {
  readonly now: () => Date;
  readonly onWrite: () => void;
  readonly onCommit: OnCommit;
};

/** A collection's documents on each of the three members. */
type Copies = { readonly table: Table; readonly majority: Rows; readonly secondary: Rows };

/** The slower secondary lacks the writes of this time. */
const secondaryLagMs = 1_000;

/**
 * A member of a replica set of three while it is the primary. With the faster secondary there is a
 * majority, so a majority has that secondary's documents. The slower one follows.
 */
export class Primary {
  readonly #shared: Shared;
  readonly #copies = new Map<string, Copies>();
  /** The entries that no majority has yet. */
  #log: Entry[] = [];
  /** The entries that the slower secondary lacks. */
  #lagging: Entry[] = [];
  #running: Entry[] = [];
  #lagMs = 0;
  isCutOff = false;
  /** Clients reach the primary in this time. */
  servesFromMs = Number.NEGATIVE_INFINITY;
  servesUntilMs = Number.POSITIVE_INFINITY;

  /** A new primary has exactly the documents that a majority has. */
  constructor(shared: Shared, before?: Primary) {
    this.#shared = shared;
    if (before === undefined) return;
    for (const [name, { table, majority }] of before.#copies) {
      this.#copies.set(name, {
        table: table.with(majority.copy(), this.#appending(name)),
        majority: majority.copy(),
        secondary: majority.copy(),
      });
    }
  }

  collections(): readonly string[] {
    return [...this.#copies.keys()];
  }

  readonly table = (name: string): Table => this.#of(name).table;

  /** Returns the documents that a read sees. */
  rows(from: ReadFrom, name: string): Rows {
    this.#commitDue();
    const { table, majority, secondary } = this.#of(name);
    if (from === "primary") return table.rows;
    if (from === "majority") return majority;
    this.#lagging = appliedDue(
      this.#lagging,
      this.#shared.now().getTime() - secondaryLagMs,
      (each) => this.#of(each.collection).secondary.set(each.id, each.after),
    );
    return secondary;
  }

  /** Runs the steps of a command. A repeated command runs only the steps that were lost. */
  run({ isOrdered, steps, filterOf, lagMs, earlier }: Run): Execution {
    this.#commitDue();
    this.#lagMs = lagMs;
    const runs: StepRun[] = [];
    for (const [at, step] of steps.entries()) {
      const known = earlier?.steps[at];
      const created =
        known !== undefined && this.#has(known) ? known : this.#runStep(step, filterOf);
      runs.push(created);
      if (isOrdered && "error" in created.outcome) break;
    }
    this.#commitDue();
    return {
      steps: runs,
      outcomes: runs.map(({ outcome }) => outcome),
      last: this.#log.at(-1),
      isChanged: runs.some(({ entries }) => entries.length > 0),
    };
  }

  hasMajority({ last }: Execution): boolean {
    this.#commitDue();
    return last === undefined || last.isCommitted;
  }

  /** Cuts the primary off from the other members. Returns the number of writes that are lost. */
  cutOff(): number {
    this.#commitDue();
    this.isCutOff = true;
    return this.#log.length;
  }

  /** Waits for a majority, as before a planned step-down. */
  commitAll(): void {
    if (!this.isCutOff) this.#commit(Number.POSITIVE_INFINITY);
  }

  #of(name: string): Copies {
    const known = this.#copies.get(name);
    if (known !== undefined) return known;
    const { now } = this.#shared;
    const table = new Table(name, now, this.#appending(name));
    const created = { table, majority: new Rows(now), secondary: new Rows(now) };
    this.#copies.set(name, created);
    return created;
  }

  /** The server knows a write by its transaction number if the write is in its log. */
  #has({ entries }: StepRun): boolean {
    const isHere = (each: Entry) => each.isCommitted || each.primary === this;
    return entries.length > 0 && entries.every(isHere);
  }

  #runStep(step: Step, filterOf: (step: Step) => Document): StepRun {
    this.#running = [];
    try {
      const outcome = { value: step.run(this.table, filterOf(step)) };
      return { outcome, entries: this.#running };
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error;
      return { outcome: { error }, entries: this.#running };
    }
  }

  #appending(collection: string) {
    return (id: string, before: Document | undefined, after: Document | undefined): void => {
      const writtenMs = this.#shared.now().getTime();
      const replicatedMs = Math.max(
        this.#log.at(-1)?.replicatedMs ?? 0,
        Math.ceil(writtenMs + this.#lagMs),
      );
      const written = { collection, id, before, after, writtenMs, replicatedMs };
      const entry: Entry = { primary: this, isCommitted: false, ...written };
      this.#log.push(entry);
      this.#running.push(entry);
      this.#shared.onWrite();
    };
  }

  #commitDue(): void {
    if (!this.isCutOff && this.#log.length > 0) this.#commit(this.#shared.now().getTime());
  }

  #commit(untilMs: number): void {
    this.#log = appliedDue(this.#log, untilMs, (entry) => {
      const { collection, id, before, after, writtenMs } = entry;
      entry.isCommitted = true;
      this.#of(collection).majority.set(id, after);
      this.#lagging.push(entry);
      this.#shared.onCommit(collection, before, after, writtenMs);
    });
  }
}

/** Applies the entries that are due. Returns the others. */
function appliedDue(entries: Entry[], untilMs: number, apply: (entry: Entry) => void): Entry[] {
  const later = entries.findIndex(({ replicatedMs }) => replicatedMs > untilMs);
  const due = later === -1 ? entries : entries.slice(0, later);
  for (const each of due) apply(each);
  return later === -1 ? [] : entries.slice(later);
}
