import type { OpenBankFile } from "@disburse/bank-files/reading/opened-file.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AnyBulkWriteOperation } from "mongodb";
import { type Seals, storeContent } from "./contents.ts";
import type { BankStore, FileDocument, PaymentDocument, StoredFault } from "./documents.ts";
import type { BankFormat, FileDefect, ProfileFaults, Writing } from "./format.ts";
import { type Found, noteFindings } from "./incoming/findings.ts";
import { orderOf } from "./payments.ts";
import { type BankSchedule, planOf } from "./plan.ts";
import { failureOfFault } from "./writing/faults.ts";
import { tryToWrite, writeHalved } from "./writing/halving.ts";

export type FileWork = {
  readonly rail: string;
  readonly format: BankFormat;
  readonly open: OpenBankFile;
  readonly schedule: BankSchedule;
  /** The maximum number of payments in one file. */
  readonly paymentsMax: number;
  readonly store: BankStore;
  readonly sealer: Seals;
  readonly clock: Clock;
  readonly log: Log;
};

const atOnce = 1_000;
/**
 * The maximum number of files whose payments one run returns to the queue. The process that worked
 * on such a file died or stalled.
 */
const returnedMax = 20;

/** Creates a message id of 26 characters. ISO 20022 leaves 28 characters for the id. */
export type NewMessageId = (now: Date) => string;

/**
 * Begins a file for the payments that are due, up to the maximum of one file. Payments that missed
 * their window get a new plan. Returns `undefined` if there is nothing to do. The file's document
 * lists the payment ids before any payment is claimed. If another process continues the file, it
 * claims the same payments, and no payment can be added later.
 */
export async function beginFile(
  work: FileWork,
  newMessageId: NewMessageId,
): Promise<FileDocument | "planned anew" | undefined> {
  const { rail, store, clock, paymentsMax, format } = work;
  const now = clock.now();
  const waiting = await store.payments
    .find({ rail, state: "waiting" })
    .sort({ "plan.due_at": 1, _id: 1 })
    .limit(paymentsMax)
    .project<Pick<PaymentDocument, "_id" | "plan" | "amount_minor">>({ plan: 1, amount_minor: 1 })
    .toArray();
  const late = waiting.filter(({ plan }) => plan.closes_at <= now);
  if (late.length > 0) {
    await planAnew(work, late, now);
    return "planned anew";
  }
  const fitting = fittingOne(waiting, format.sumMax);
  const isFull = waiting.length === paymentsMax || fitting.length < waiting.length;
  const [first, ...others] = isFull ? fitting : waiting.filter(({ plan }) => plan.due_at <= now);
  if (first === undefined) return undefined;
  const payments = [first, ...others];
  const numbers = await format.reserve?.(store, payments.length, now);
  const closesAt = payments.map(({ plan }) => plan.closes_at.getTime());
  const file: FileDocument = {
    _id: newMessageId(now),
    schema_version: 1,
    rail,
    revision: 1,
    state: "claiming",
    open: rail,
    asked: payments.map(({ _id }) => _id),
    ...(numbers !== undefined && { numbers }),
    closes_at: new Date(Math.min(...closesAt)),
    created_at: now,
    updated_at: now,
  };
  await store.files.insertOne(file);
  return file;
}

/**
 * Returns the first payments whose sum fits in one file. A single payment always fits, whatever its
 * amount.
 */
function fittingOne<P extends Pick<PaymentDocument, "amount_minor">>(
  payments: readonly P[],
  sumMax: bigint,
): readonly P[] {
  let sum = 0n;
  const end = payments.findIndex(({ amount_minor }, at) => {
    sum += fromDecimal128(amount_minor);
    return sum > sumMax && at > 0;
  });
  return end === -1 ? payments : payments.slice(0, end);
}

/**
 * Plans payments for a later window because their cut-off passed while the rail was paused or down.
 */
async function planAnew(
  { store, schedule, log, rail }: FileWork,
  late: readonly Pick<PaymentDocument, "_id" | "plan" | "amount_minor">[],
  now: Date,
): Promise<void> {
  log.warn(
    { rail, payments: late.length },
    "payments missed their cut-off; they are now planned for a later cut-off",
  );
  const writes = late.map(({ _id, plan, amount_minor }): AnyBulkWriteOperation<PaymentDocument> => {
    const next = planOf(schedule, BigInt(amount_minor.toString()), now);
    if (isRefused(next)) throw new Error("the bank's calendar ends before the next cut-off");
    const filter = { _id, state: "waiting" as const, "plan.due_at": plan.due_at };
    const update = { $set: { plan: next, updated_at: now }, $inc: { revision: 1 } };
    return { updateOne: { filter, update } };
  });
  await store.payments.bulkWrite(writes, { ordered: false });
}

/**
 * Claims the payments of a file, writes the file, and stores its bytes. The file's document is
 * updated first. It records which payments are included, which are left out, and whether the file
 * is void. The payments are updated afterwards. If a file can't be written, it becomes void and its
 * payments return to the queue. If the next file with one of these payments can't be written
 * either, `writeHalved` splits that file.
 */
export async function writeFile(work: FileWork, file: FileDocument): Promise<void> {
  const { store, format, sealer, clock, log, rail } = work;
  const now = clock.now();
  const members = await claimPayments(store, file, now);
  if (members.length === 0) {
    await changeFile(store, file, { state: "void" }, now);
    return;
  }
  // The encrypted order is missing if another process has written the payment meanwhile.
  const isToBeWritten = members.every(({ sealed }) => sealed !== undefined);
  if (!isToBeWritten && !(await isAsRead(store, file))) return;
  const payments = members.map((payment) => ({ payment, order: orderOf(payment, sealer) }));
  const whole = await tryToWrite(format, file, payments);
  const isDefect = isRefused(whole) && whole.refused === "DEFECT";
  const isSecond = members.some(({ void_files }) => void_files !== undefined);
  const writing = isDefect && isSecond ? await writeHalved(format, file, payments) : whole;
  if (isDefect)
    log.error(
      { rail, file: file._id, problems: whole.problems },
      "the bank file with all its payments did not pass its checks",
    );
  const change = isRefused(writing)
    ? refusedFile(writing, isSecond)
    : await storedWriting(work, file, writing);
  if (change.state === undefined) {
    const { problems = [] } = change;
    const found: Found = { kind: "unwritten", what: problems.join("; ") };
    await noteFindings(work, { file: file._id, name: file._id }, [found]);
    log.error({ rail, file: file._id, problems }, "writing a bank file failed; it will be retried");
  }
  const changed = await changeFile(store, file, change, clock.now());
  if (changed !== undefined && changed.state !== "claiming") await updatePayments(work, changed);
}

/**
 * Makes a file void after a defect, unless one of its payments comes from an earlier void file.
 * Otherwise the rail retries the file unchanged.
 */
function refusedFile(
  { refused: why, problems }: ProfileFaults | FileDefect,
  isSecond: boolean,
): Partial<FileDocument> {
  const isVoid = why === "DEFECT" && !isSecond;
  return { ...(isVoid && { state: "void" }), problems: [...problems] };
}

async function storedWriting(
  { store, sealer, format, rail }: FileWork,
  { _id }: FileDocument,
  { file, leftOut }: Writing,
): Promise<Partial<FileDocument>> {
  // `sendFile` makes this empty file void after its payments are updated.
  if (file === undefined) return { state: "written", members: [], left_out: [...leftOut] };
  const { name, bytes, members } = file;
  const sha256 = await storeContent(store, sealer, _id, bytes);
  const settling = format.settledThrough === undefined ? {} : { settling: rail };
  const content = { members: [...members], left_out: [...leftOut], ...settling };
  return { state: "written", name, sha256, size: bytes.length, ...content };
}

/** Claims the waiting payments that a file lists. Returns all payments that belong to the file. */
async function claimPayments(
  { payments }: BankStore,
  { _id: file, asked, rail }: FileDocument,
  at: Date,
): Promise<PaymentDocument[]> {
  const claimed: PaymentDocument[] = [];
  for (let from = 0; from < asked.length; from += atOnce) {
    const among = { _id: { $in: asked.slice(from, from + atOnce) } };
    await payments.updateMany(
      { ...among, rail, state: "waiting" },
      { $set: { state: "filed", file, updated_at: at }, $inc: { revision: 1 } },
    );
    claimed.push(...(await payments.find({ ...among, state: "filed", file }).toArray()));
  }
  return claimed.toSorted((a, b) => {
    return a.accepted_at.getTime() - b.accepted_at.getTime() || (a._id < b._id ? -1 : 1);
  });
}

/**
 * Updates the payments of a written or void file. Included payments get the names that the bank's
 * responses use for them. Payments that are left out fail. All other claimed payments return to the
 * queue with their encrypted orders. A repeated call changes nothing.
 */
export async function updatePayments(work: FileWork, file: FileDocument): Promise<void> {
  const { store, clock, log } = work;
  await noteFindings(work, { file: file._id, name: file.name ?? file._id }, unwrittenOf(file));
  const at = clock.now();
  const { _id, members = [], left_out = [] } = file;
  const claimed = { state: "filed" as const, file: _id };
  const writes: AnyBulkWriteOperation<PaymentDocument>[] = [
    ...byName(members).map(({ ids, ...named }): AnyBulkWriteOperation<PaymentDocument> => {
      const filter = { ...claimed, _id: { $in: ids }, sealed: { $exists: true } };
      return { updateMany: { filter, update: { $set: named, ...isWritten } } };
    }),
    ...left_out.map((fault) => ({ updateOne: refusal(fault, claimed, at) })),
  ];
  for (const { id, field, problem } of left_out) {
    log.warn(
      { payout_id: id, field, problem },
      "payment rejected: one of its fields does not fit the bank's file format",
    );
  }
  for (let from = 0; from < writes.length; from += atOnce) {
    await store.payments.bulkWrite(writes.slice(from, from + atOnce), { ordered: false });
  }
  const isUnwritten = unwrittenProblem(file) !== undefined;
  await store.payments.updateMany(
    { ...claimed, sealed: { $exists: true } },
    {
      $set: { state: "waiting", updated_at: at },
      $unset: { file: "" },
      $inc: { revision: 1, ...(isUnwritten && { void_files: 1 }) },
    },
  );
}

/**
 * Returns the reason why a void file could not be written. Returns `undefined` if the file is
 * written or has no payments.
 */
function unwrittenProblem({ state, problems }: FileDocument): string | undefined {
  return state === "void" ? problems?.join("; ") : undefined;
}

/** Creates findings for a file that could not be written, or for payments that fit in no file. */
function unwrittenOf(file: FileDocument): Found[] {
  const why = unwrittenProblem(file);
  const whole: Found[] = why === undefined ? [] : [{ kind: "unwritten", what: why }];
  const alone = (file.left_out ?? [])
    .filter(({ field }) => failureOfFault(field) === undefined)
    .map(({ id, problem }): Found => ({ kind: "unwritten", what: problem, payoutId: id }));
  return [...whole, ...alone];
}

/**
 * Returns payments to the queue if they refer to a written or void file that doesn't include them.
 * This happens if the process died before it updated the payments, or if another process claimed
 * them late.
 */
export async function returnPayments(work: FileWork): Promise<void> {
  const { rail, store } = work;
  const claiming = store.files.find({ open: rail, state: "claiming" });
  const known = (await claiming.project<{ _id: string }>({ _id: 1 }).toArray()).map(
    ({ _id }) => _id,
  );
  for (let returned = 0; returned < returnedMax; returned += 1) {
    const claimed = await store.payments.findOne(
      { rail, state: "filed", sealed: { $exists: true }, file: { $nin: known } },
      { projection: { file: 1 } },
    );
    if (claimed?.file === undefined) return;
    known.push(claimed.file);
    const file = await store.files.findOne({ _id: claimed.file });
    // Another process may have read the same state and continued this file meanwhile.
    if (file !== null && file.state !== "claiming") await updatePayments(work, file);
  }
}

/**
 * The stored file contains the beneficiary's account, encrypted. The payment no longer needs its
 * encrypted order.
 */
const isWritten = { $unset: { sealed: "" as const }, $inc: { revision: 1 } };

/** Groups payments by block or trace number. */
function byName(members: NonNullable<FileDocument["members"]>) {
  const groups = Map.groupBy(members, ({ block, trace }) => block ?? trace);
  return [...groups.values()].flatMap((group) => {
    const { id: _id, ...named } = group[0] ?? { id: "" };
    const ids = group.map(({ id }) => id);
    const parts = Math.ceil(ids.length / atOnce);
    return Array.from({ length: parts }, (_each, part) => {
      return { ...named, ids: ids.slice(part * atOnce, (part + 1) * atOnce) };
    });
  });
}

/** Fails a payment that fits in no file. */
function refusal(
  { id, field }: StoredFault,
  claimed: { readonly state: "filed"; readonly file: string },
  at: Date,
) {
  return {
    filter: { ...claimed, _id: id },
    update: {
      $set: {
        state: "rejected" as const,
        failure: { code: failureOfFault(field) ?? "UNSPECIFIED" },
        report_pending: true,
        updated_at: at,
      },
      $unset: { sealed: "" as const },
      $inc: { revision: 1 },
    },
  };
}

async function isAsRead({ files }: BankStore, { _id, revision }: FileDocument): Promise<boolean> {
  return (await files.findOne({ _id, revision }, { projection: { _id: 1 } })) !== null;
}

/** Changes a file. Returns `undefined` if the file has changed since it was read. */
export async function changeFile(
  { files }: Pick<BankStore, "files">,
  file: FileDocument,
  set: Partial<FileDocument>,
  at: Date,
): Promise<FileDocument | undefined> {
  const revision = file.revision + 1;
  const isOver = set.state === "void" || set.state === "sent";
  const { open: _open, ...rest } = { ...file, ...set, revision, updated_at: at };
  const { modifiedCount } = await files.updateOne(
    { _id: file._id, revision: file.revision },
    {
      $set: { ...set, revision, updated_at: at },
      ...(isOver && { $unset: { open: "", sending_until: "" } }),
    },
  );
  if (modifiedCount !== 1) return undefined;
  return isOver ? rest : { ...rest, open: file.rail };
}
