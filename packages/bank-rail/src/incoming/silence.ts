import { addBankingDays, bankingDayFrom } from "@disburse/bank-files/calendar/bank-calendar.ts";
import { addDays } from "@disburse/bank-files/calendar/days.ts";
import { localTime } from "@disburse/bank-files/calendar/window.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { BalanceDocument, BankStore, FileDocument, FindingKind } from "../documents.ts";
import type { FileWork } from "../files.ts";
import type { BankSchedule } from "../plan.ts";

/** Open findings that prevent conclusions from a missing response of the bank. */
type Held = {
  /** No conclusion is drawn about payments that were filed at or before this time. */
  readonly through: Date | undefined;
  readonly payoutIds: readonly string[];
};

/** Returns the open findings that prevent conclusions of a rail, of all kinds or of some. */
export async function heldBy(
  store: BankStore,
  rail: string,
  kinds?: readonly FindingKind[],
): Promise<Held> {
  const found = store.findings
    .find({
      rail,
      open: true,
      holds: true,
      ...(kinds !== undefined && { kind: { $in: [...kinds] } }),
    })
    .project<{ payout_id?: string; created_at: Date }>({ payout_id: 1, created_at: 1 });
  let through: Date | undefined;
  const payoutIds: string[] = [];
  for await (const { payout_id: payoutId, created_at: at } of found) {
    if (payoutId !== undefined) payoutIds.push(payoutId);
    else if (through === undefined || at > through) through = at;
  }
  return { through, payoutIds };
}

/**
 * Returns the findings that prevent conclusions. Returns `undefined` if a fetched file is unread:
 * that file may contain a return, so the rail draws no conclusion. Reads the findings before and
 * after it checks for unread files, because operators may request a new reading meanwhile. A new
 * reading first opens the file and then closes its old findings. Later it stores new findings and
 * then closes the file.
 */
async function heldWhereAllIsRead(store: BankStore, rail: string): Promise<Held | undefined> {
  const before = await heldBy(store, rail);
  const unread = await store.received.findOne({ open: rail }, { projection: { _id: 1 } });
  if (unread !== null) return undefined;
  const after = await heldBy(store, rail);
  const times = [before, after].flatMap(({ through }) => through ?? []);
  return {
    through: times.toSorted((a, b) => b.getTime() - a.getTime())[0],
    payoutIds: [...before.payoutIds, ...after.payoutIds],
  };
}

/**
 * Settles unconfirmed payments after their window for returns. By the scheme's rule, a payment is
 * settled if it is not returned in time. `readAt` is the last time at which every file in the
 * bank's folder had been fetched. Files that arrived later may contain returns.
 */
export async function settleBySilence(work: FileWork, readAt: Date): Promise<void> {
  const { store, rail, format, schedule, clock } = work;
  const through = format.settledThrough?.(readAt);
  if (through === undefined) return;
  const held = await heldWhereAllIsRead(store, rail);
  if (held === undefined) return;
  const files = await store.files
    .find({ settling: rail, state: "sent" })
    .project<Pick<FileDocument, "_id" | "sent_at" | "created_at">>({ sent_at: 1, created_at: 1 })
    .toArray();
  for (const { _id, sent_at = readAt, created_at } of files) {
    // A file that was sent late also settles late.
    if (localTime(sent_at, schedule.zone).day > through) continue;
    if (held.through !== undefined && created_at <= held.through) continue;
    // A payment without a trace number is in no file. It was claimed too late and returns to the
    // queue.
    const open = { file: _id, state: "filed" as const, trace: { $exists: true } };
    await store.payments.updateMany(
      {
        ...open,
        _id: { $nin: [...held.payoutIds] },
        unknown_outcome: { $exists: false },
        "plan.settles_on": { $lte: through },
      },
      [
        {
          $set: {
            state: "settled",
            reference: "$trace",
            report_pending: true,
            updated_at: clock.now(),
            revision: { $add: ["$revision", 1] },
          },
        },
        { $unset: "sealed" },
      ],
    );
    if ((await store.payments.findOne(open, { projection: { _id: 1 } })) !== null) continue;
    await store.files.updateOne({ _id }, { $unset: { settling: "" } });
  }
}

/** The kinds of findings that delay settlement, grouped by the reason that metrics show. */
const heldKinds = {
  unread_file: ["unreadable", "unread", "set_aside"],
  unmatched_return: ["unmatched"],
  balance: ["balance"],
} as const satisfies Readonly<Record<string, readonly FindingKind[]>>;

/**
 * The number of payments whose window for returns is over but which are not settled yet, by reason.
 */
export type Waiting = Readonly<Record<keyof typeof heldKinds | "server", number>>;

/** The maximum count. A higher count is reported as this value. */
const waitingMax = 10_000;

/** Counts the payments that should settle without a confirmation but are delayed. */
export async function countWaiting(
  store: BankStore,
  rail: string,
  through: string,
): Promise<Waiting> {
  const reasons = ["unread_file", "unmatched_return", "balance"] as const;
  const held = await Promise.all(reasons.map((each) => heldBy(store, rail, heldKinds[each])));
  const isUnread = (await store.received.findOne({ open: rail })) !== null;
  const counts = { unread_file: 0, unmatched_return: 0, balance: 0, server: 0 };
  const files = store.files
    .find({ settling: rail, state: "sent" })
    .project<Pick<FileDocument, "_id" | "created_at">>({ created_at: 1 });
  for await (const { _id, created_at } of files) {
    const due = {
      file: _id,
      state: "filed" as const,
      trace: { $exists: true },
      unknown_outcome: { $exists: false },
      "plan.settles_on": { $lte: through },
    };
    const limit = { limit: waitingMax };
    let left = await store.payments.countDocuments(due, limit);
    const counted = new Set<string>();
    for (const [at, reason] of reasons.entries()) {
      const { through: heldThrough, payoutIds = [] } = held[at] ?? {};
      const isWhole = heldThrough !== undefined && created_at <= heldThrough;
      const ids = payoutIds.filter((id) => !counted.has(id));
      for (const id of ids) counted.add(id);
      const own = { ...due, _id: { $in: ids } };
      const isAll = isWhole || (reason === "unread_file" && isUnread);
      const count = isAll ? left : await store.payments.countDocuments(own, limit);
      counts[reason] += Math.min(left, count);
      left -= Math.min(left, count);
    }
    counts.server += left;
  }
  return counts;
}

/** Findings about rejections without proof. An unbroken run of statements may prove them. */
const unproven = ["rejected-without-proof", "rejected-as-duplicate"];

/**
 * Rejects payments that the bank rejected without proof, once an unbroken and balanced run of
 * statements shows no debit. The run starts at the execution date. It must also cover as many later
 * banking days as the bank's profile requires. `readAt` is the last time at which every file in the
 * bank's folder had been fetched. A file that arrived later may contain the debit.
 */
export async function releaseByStatements(
  work: FileWork,
  days: number,
  readAt: Date,
): Promise<void> {
  const { store, rail, clock } = work;
  const open = await store.payments
    .find({ rail, state: "filed", "unknown_outcome.why": { $in: unproven } })
    .toArray();
  if (open.length === 0) return;
  const held = await heldWhereAllIsRead(store, rail);
  if (held === undefined) return;
  for (const payment of open) {
    const { _id, revision, file = "" } = payment;
    const filed = await store.files.findOne({ _id: file });
    if (filed?.sent_at === undefined) continue;
    const isHeld =
      held.payoutIds.includes(_id) ||
      (held.through !== undefined && filed.created_at <= held.through);
    const last = await lastOfRun(work, payment.plan.on, filed.sent_at, days);
    const isOver = last !== undefined && localTime(readAt, work.schedule.zone).day > last;
    if (isHeld || !isOver) continue;
    await store.payments.updateOne(
      { _id, revision, state: "filed" },
      {
        $set: {
          state: "rejected",
          failure: { code: "UNSPECIFIED" },
          report_pending: true,
          updated_at: clock.now(),
        },
        $unset: { unknown_outcome: "", sealed: "" },
        $inc: { revision: 1 },
      },
    );
    work.log.debug(
      { rail, payout_id: _id },
      "bank statements prove that the bank did not execute the payment",
    );
  }
}

/** Returns the last day of an unbroken run of statements that is long enough. */
async function lastOfRun(
  { store, rail, schedule }: Pick<FileWork, "store" | "rail" | "schedule">,
  on: string,
  sentAt: Date,
  days: number,
): Promise<string | undefined> {
  const { day: sentOn } = localTime(sentAt, schedule.zone);
  // A file that was sent late is also executed late.
  const last = addBankingDays(schedule.calendars, sentOn > on ? sentOn : on, days);
  if (isRefused(last)) return undefined;
  const run = await store.balances
    .find({ rail, day: { $gte: on, $lte: last } })
    .sort({ day: 1 })
    .toArray();
  const closed = new Set(run.map(({ day }) => day));
  const isWhole = bankingDays(schedule, on, last).every((day) => closed.has(day));
  return isWhole && isUnbroken(run) ? last : undefined;
}

/** Returns true if each statement balances and begins with the previous closing balance. */
export function isUnbroken(run: readonly BalanceDocument[]): boolean {
  return run.every((each, at) => {
    const before = run[at - 1];
    const follows =
      before === undefined ||
      fromDecimal128(before.closing_minor) === fromDecimal128(each.opening_minor);
    return each.is_balanced && follows;
  });
}

/** Returns the banking days from one day to another, inclusive. */
function bankingDays({ calendars }: BankSchedule, from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    if (bankingDayFrom(calendars, day) === day) days.push(day);
  }
  return days;
}
