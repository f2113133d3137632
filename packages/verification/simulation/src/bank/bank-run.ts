import type {
  FileDocument,
  PaymentDocument,
  ReceivedDocument,
} from "@disburse/bank-rail/documents.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { migrations } from "@disburse/payout/migrations.ts";
import { instruction } from "@disburse/rail/test-contract.ts";
import { keyOf, type OpenRail, RailCallers } from "../callers/rail-callers.ts";
import { runToRest } from "../callers/rail-run.ts";
import type { Sabotage } from "../network/database-link.ts";
import { Host } from "../scheduler/host.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { createMemoryDatabase } from "../store/memory-database.ts";
import { startBankOperator } from "./bank-operator.ts";
import { startBankProcess } from "./bank-process.ts";
import { SimulatedBank } from "./simulated-bank.ts";

/** States in which the rail reports that a payout will not be paid. */
const neverPaid: ReadonlySet<string> = new Set(["withdrawn", "rejected", "returned"]);

/** Monday, 5 January 2026, 15 minutes before noon in New York. */
const startMs = Date.UTC(2026, 0, 5, 16, 45);
const pauseMaxMs = 5_000;
const roughMs = 150_000;
/** Time to finish. After it every return has arrived, and every return period is over. */
const settleMs = 12 * 86_400_000;
const advanceMs = 6 * 3_600_000;

/** Runs one seed of payouts in bank files until idle. Returns problems. */
export async function runBankSeed(
  seed: number,
  options: { readonly sabotage?: Sabotage; readonly listen?: (line: string) => void } = {},
) {
  const scheduler = new Scheduler(seed, startMs, options.listen);
  const bank = new SimulatedBank(scheduler);
  const database = createMemoryDatabase(() => scheduler.now());
  const { db } = database.connect(database.direct);
  for (const { up } of migrations) await up(db);
  const stored = {
    payments: () => database.documents("bank_payments") as unknown as readonly PaymentDocument[],
    files: () => database.documents("bank_files") as unknown as readonly FileDocument[],
    received: () => database.documents("bank_received") as unknown as readonly ReceivedDocument[],
  };
  const broken: string[] = [];
  const pausing = pauses(scheduler);
  const shared = { database, bank, broken, isPaused: pausing.isPaused, sabotage: options.sabotage };
  const open = new Map<string, OpenRail>();
  const hosts = ["files-1", "files-2", "files-3"].map(
    (name) =>
      new Host(scheduler, name, async (instance) => {
        open.set(name, { instance, rail: startBankProcess(shared, instance) });
      }),
  );
  const callers = new RailCallers({
    scheduler,
    open,
    takenBack: "bank: taken back",
    instructionOf: (number, amount) => ({
      ...instruction,
      amount,
      accountNumber: String(number).padStart(8, "0"),
    }),
  });
  for (const host of hosts) host.start();
  startBankOperator({ scheduler, database, bank });
  scheduler.faults.begin();
  const failed = await runToRest({
    scheduler,
    hosts,
    database,
    callers,
    roughMs,
    endsWithCallers: false,
    heal: pausing.heal,
    isAtRest: () =>
      bank.isQuiet() &&
      stored.payments().every((each) => !["waiting", "filed"].includes(each.state)) &&
      stored.files().every(({ open: rail, settling }) => (rail ?? settling) === undefined) &&
      stored.received().every((each) => each.open === undefined) &&
      bank.answers.every((hash) => stored.received().some(({ sha256 }) => sha256 === hash)),
    settleMs,
    advanceMs,
  });
  countUnwritten(scheduler, stored.files());
  const wrong = [
    ...failed,
    ...broken,
    ...bankProblems(stored.payments(), stored.files(), bank, callers),
  ];
  return {
    seed,
    wrong,
    faults: scheduler.faults.counts,
    steps: scheduler.steps,
    traceHash: scheduler.traceHash,
  };
}

function countUnwritten({ faults }: Scheduler, files: readonly FileDocument[]): void {
  for (const { left_out = [] } of files) {
    if (left_out.length > 0) faults.count("bank: payment unwritten");
  }
}

/** Operators pause the rail occasionally, for some seconds. */
function pauses(scheduler: Scheduler) {
  const { random, faults } = scheduler;
  let untilMs = 0;
  const next = () => {
    const run = () => {
      if (faults.happens("bank: rail paused", 0.1)) {
        untilMs = scheduler.nowMs() + random.below(pauseMaxMs);
      }
      next();
    };
    scheduler.after(1 + random.below(pauseMaxMs), { label: "an operator", run });
  };
  next();
  return {
    isPaused: () => scheduler.nowMs() < untilMs,
    heal: () => {
      untilMs = 0;
    },
  };
}

/**
 * Requires that each payout is paid once or withdrawn, and that its end matches the bank's book.
 */
function bankProblems(
  payments: readonly PaymentDocument[],
  files: readonly FileDocument[],
  { paid, returned, sent }: Pick<SimulatedBank, "paid" | "returned" | "sent">,
  { orders, withdrawn }: Pick<RailCallers, "orders" | "withdrawn">,
): string[] {
  const byKey = new Map(payments.map((each) => [each._id, each]));
  const cameBack = new Set(returned.map(keyOf));
  const unwritten = new Set(files.flatMap(({ left_out = [] }) => left_out.map(({ id }) => id)));
  const wrong = [...orders].flatMap(([key, amount]) => {
    const payment = byKey.get(key);
    if (payment === undefined) return [`${key} was submitted and is not there`];
    const { state, unknown_outcome: unknownOutcome } = payment;
    const credits = paid.filter(({ account }) => keyOf(account) === key);
    const written = cameBack.has(key) ? "returned" : "settled";
    const expected = unwritten.has(key) ? "rejected" : written;
    const isPaid = state === "settled" || state === "returned";
    const isWithdrawn = withdrawn.has(key) && !neverPaid.has(state);
    return [
      ...(credits.length === (isPaid ? 1 : 0)
        ? []
        : [`${key} is ${state} and was paid ${credits.length} times`]),
      ...(state === "withdrawn" || state === expected
        ? []
        : [`${key} is ${state}, at the bank ${expected}`]),
      ...(isWithdrawn ? [`${key} is ${state}, and its caller heard that it is never paid`] : []),
      ...(unknownOutcome === undefined
        ? []
        : [`${key} has an unknown outcome: ${unknownOutcome.why}`]),
      ...(credits.every(({ cents }) => cents === amount) ? [] : [`${key} paid otherwise`]),
      ...(state === "withdrawn" || fromDecimal128(payment.amount_minor) === amount
        ? []
        : [`${key} was taken with another amount`]),
    ];
  });
  const unexpected = paid.filter(({ account }) => !orders.has(keyOf(account)));
  const unknown = sent.filter(({ name }) => !files.some((each) => each.name === name));
  const open = files.filter(({ state }) => state !== "sent" && state !== "void");
  return [
    ...wrong,
    ...unexpected.map(({ account }) => `${account} was paid, which is no payout`),
    ...unknown.map(({ name }) => `${name} was sent, and no file says so`),
    ...open.map(({ _id, state }) => `file ${_id} is ${state} at the end`),
  ];
}
