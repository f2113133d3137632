import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from "mongodb";
import type { ProcessInstance } from "../scheduler/host.ts";
import { settlement } from "../scheduler/scheduler.ts";
import type { Answer, Command, Step } from "../store/collection.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Execution, Primary, Run } from "../store/primary.ts";

const hopMs = 3;
const slowMs = 9_000;
/** As in the services' connections (`connectDatabase`). */
const selectionTimeoutMs = 4_000;
const writeTimeoutMs = 5_000;

/**
 * Excluded from faults, because leases are renewed constantly. Crashes and lost answers should
 * affect the writes that move money.
 */
const sweepLeases = "leases";

type Call<T> = {
  readonly command: Command;
  readonly steps: readonly Step[];
  readonly answer: Answer<T>;
  readonly filterOf: Run["filterOf"];
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
  /** Called instead of `reject` if the outcome is unknown. */
  readonly fail: (error: MongoError) => void;
};

/**
 * Delivers a process's command to the primary that the process reaches, and the answer. Both can be
 * lost, and a bulk write can be partial. The process can end before or after the command. A command
 * that was sent before the process ended may still arrive. The driver waits for a primary, and
 * repeats a command once.
 */
export function deliver<T>(instance: ProcessInstance, database: MemoryDatabase, call: Call<T>) {
  const { scheduler } = instance;
  const { faults, random } = scheduler;
  const { set } = database;
  const { command, steps, filterOf, fail } = call;
  const label = `${command.collection}.${command.name}`;
  const delayMs = () =>
    faults.happens("database: slow", 0.002) ? random.below(slowMs) : random.fraction() * hopMs;
  const later = (ms: number, what: string, run: () => void) =>
    scheduler.after(ms, { label: `${label} ${what}`, owner: instance, run });
  let earlier: Execution | undefined;
  let isRepeated = !command.isRepeatable;

  const send = () => {
    scheduler.after(delayMs(), { label: `${instance.name} → ${label}`, run: arrive });
  };
  const select = () => {
    if (set.primaryOf(instance) !== undefined) return send();
    const waitMs = set.primary().servesFromMs - scheduler.nowMs();
    if (waitMs <= selectionTimeoutMs) return later(waitMs, "waits for a primary", select);
    const run = () => call.reject(new MongoServerSelectionError("no primary", {} as never));
    later(selectionTimeoutMs, "found no primary", run);
  };
  // A fault that loses one try often loses the second one too.
  const lose = () => {
    if (!isRepeated && faults.happens("database: repeated by its driver", 0.5)) {
      isRepeated = true;
      return later(delayMs(), "failed", select);
    }
    later(delayMs(), "failed", () => fail(new MongoNetworkError("connection lost")));
  };
  const arrive = () => {
    if (instance.isDead() && random.chance(0.5)) return;
    const primary = set.primaryOf(instance);
    if (primary === undefined || faults.happens("database: request lost", 0.004)) return lose();
    if (command.isWrite && faults.happens("crash before a write", 0.003)) {
      return instance.end(`crash before ${label}`);
    }
    const isTorn = steps.length > 1 && faults.happens("database: bulk torn", 0.02);
    const taken = isTorn ? steps.slice(0, random.below(steps.length)) : steps;
    const isOrdered = command.isOrdered === true;
    const lagMs = faults.isCalm() ? 0 : random.fraction() * hopMs;
    const execution = primary.run({ isOrdered, steps: taken, filterOf, lagMs, earlier });
    earlier = execution;
    if (primary.isCutOff) {
      if (!command.isWrite) faults.count("database: read of a former primary");
      else if (execution.isChanged) faults.count("database: rolled back");
    }
    const isChanged = execution.isChanged && command.collection !== sweepLeases;
    if (isChanged && faults.happens("crash after a write", 0.02)) {
      return instance.end(`crash after ${label}`);
    }
    const lost = isChanged ? 0.02 : 0.002;
    if (isTorn || faults.happens("database: answer lost", lost)) return lose();
    confirm(primary, execution);
  };
  /** Answers when a majority has the writes, and if the primary is still there. */
  const confirm = (primary: Primary, execution: Execution) => {
    const settle = settled(call, execution, database.rowsOf(primary));
    const waits = command.isWrite && database.needsMajority;
    const isConfirmed = () =>
      command.isLinearizable ? !primary.isCutOff : !waits || primary.hasMajority(execution);
    const ranMs = scheduler.nowMs();
    const run = () => {
      const leftMs = primary.servesUntilMs - scheduler.nowMs();
      if (leftMs <= 0) return lose();
      if (isConfirmed()) return settle();
      const timeoutMs = ranMs + writeTimeoutMs - scheduler.nowMs();
      if (leftMs < timeoutMs) return later(leftMs, "lost its primary", lose);
      faults.count("database: no majority");
      later(timeoutMs, "has no majority", () => fail(unconfirmed(command)));
    };
    // The members' clock has whole milliseconds, the scheduler's has fractions.
    const replicatedMs = waits ? (execution.last?.replicatedMs ?? 0) + 1 - ranMs : 0;
    later(Math.max(delayMs(), replicatedMs), "answered", run);
  };
  select();
}

/** Returns a function that returns the command's result as of its execution. */
function settled<T>(
  { answer, resolve, reject }: Call<T>,
  { outcomes }: Execution,
  rows: Parameters<Answer<T>>[1],
): () => void {
  // Any other error means that the simulated store doesn't support the query.
  const isAnswer = (error: unknown) => error instanceof MongoError;
  return settlement(() => answer(outcomes, rows), resolve, reject, isAnswer);
}

/** Returns the driver's error for a write that no majority has confirmed in time. */
function unconfirmed({ bulk }: Command): MongoError {
  const reason = { code: 64, errmsg: "waiting for replication timed out" };
  if (bulk === "collection") {
    const summary = { message: reason.errmsg, code: reason.code, writeErrors: [] };
    return new MongoBulkWriteError(summary, {} as BulkWriteResult);
  }
  if (bulk === undefined) {
    return new MongoWriteConcernError({ writeConcernError: reason } as never);
  }
  const error = new MongoClientBulkWriteError({ message: reason.errmsg });
  return Object.assign(error, { writeConcernErrors: [reason] });
}
