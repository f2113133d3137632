import type { OpenBankFile } from "@disburse/bank-files/reading/opened-file.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AnyBulkWriteOperation } from "mongodb";
import { type Seals, storeContent } from "./contents.ts";
import type { BankStore, FileDocument, PaymentDocument, StoredFault } from "./documents.ts";
import { failureOfFault } from "./faults.ts";
import type { BankFormat, Writing } from "./format.ts";
import { orderOf } from "./payments.ts";
import { type BankSchedule, planOf } from "./plan.ts";

/** What the files of a rail are written with. */
export type FileWork = {
  readonly rail: string;
  readonly format: BankFormat;
  /** Reads files of the bank. */
  readonly open: OpenBankFile;
  readonly schedule: BankSchedule;
  /** Payments of one file. */
  readonly paymentsMax: number;
  readonly store: BankStore;
  readonly sealer: Seals;
  readonly clock: Clock;
  readonly log: Log;
};

/** Ids of one query. */
const atOnce = 1_000;

/** Message ids: 26 of the 28 characters that a file of ISO 20022 leaves for one. */
export type NewMessageId = (now: Date) => string;

/**
 * Begins a file for payments that are due, or for as many as a file may have. What is too late for
 * its window is planned anew. `undefined`: there is nothing to do.
 *
 * The file asks for payments by their ids, in its own document, before any of them is claimed: so
 * a process that goes on with it claims the same ones, and no later claim adds another.
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
  const isFull = waiting.length === paymentsMax;
  const [first, ...others] = isFull ? waiting : waiting.filter(({ plan }) => plan.due_at <= now);
  if (first === undefined) return undefined;
  const asked = [first, ...others];
  const numbers = await format.reserve?.(store, asked.length, now);
  const closesAt = asked.map(({ plan }) => plan.closes_at.getTime());
  const file: FileDocument = {
    ...{ _id: newMessageId(now), schema_version: 1, rail, revision: 1 },
    ...{ state: "claiming", open: rail, asked: asked.map(({ _id }) => _id) },
    ...(numbers !== undefined && { numbers }),
    closes_at: new Date(Math.min(...closesAt)),
    ...{ created_at: now, updated_at: now },
  };
  await store.files.insertOne(file);
  return file;
}

/** Payments whose cut-off went by, as the rail was paused or down, leave in a later window. */
async function planAnew(
  { store, schedule, log, rail }: FileWork,
  late: readonly Pick<PaymentDocument, "_id" | "plan" | "amount_minor">[],
  now: Date,
): Promise<void> {
  log.warn({ rail, payments: late.length }, "payments missed their window");
  const writes = late.map(({ _id, plan, amount_minor }): AnyBulkWriteOperation<PaymentDocument> => {
    const next = planOf(schedule, BigInt(amount_minor.toString()), now);
    if (isRefused(next)) throw new Error("the bank's calendar ends before the next window");
    const filter = { _id, state: "waiting" as const, "plan.due_at": plan.due_at };
    const update = { $set: { plan: next, updated_at: now }, $inc: { revision: 1 } };
    return { updateOne: { filter, update } };
  });
  await store.payments.bulkWrite(writes, { ordered: false });
}

/**
 * Claims the payments of a file, writes it, and stores what it says. Its document decides what is
 * in it and what was left out; only then do payments learn of it.
 */
export async function writeFile(work: FileWork, file: FileDocument): Promise<void> {
  const { store, format, sealer, clock, log, rail } = work;
  const members = await claimPayments(store, file, clock.now());
  if (members.length === 0) {
    await changeFile(store, file, { state: "void" }, clock.now());
    return;
  }
  // Another process has written it meanwhile: what a payment needed for that is gone.
  const isToBeWritten = members.every(({ sealed }) => sealed !== undefined);
  if (!isToBeWritten && !(await isAsRead(store, file))) return;
  const writing = await format.write(
    file,
    members.map((payment) => ({ payment, order: orderOf(payment, sealer) })),
  );
  if (isRefused(writing)) {
    const problems = [...writing.problems];
    log.error({ rail, file: file._id, problems }, "file not written: the profile does not fit");
    await changeFile(store, file, { problems }, clock.now());
    return;
  }
  const stored = await storedWriting(work, file, writing);
  const written = await changeFile(store, file, stored, clock.now());
  if (written !== undefined) await tellPayments(work, written);
}

async function storedWriting(
  { store, sealer, format, rail }: FileWork,
  { _id }: FileDocument,
  { file, leftOut }: Writing,
): Promise<Partial<FileDocument>> {
  // It is void once its payments know.
  if (file === undefined) return { state: "written", members: [], left_out: [...leftOut] };
  const { name, bytes, members } = file;
  const sha256 = await storeContent(store, sealer, _id, bytes);
  const settling = format.settledThrough === undefined ? {} : { settling: rail };
  const said = { members: [...members], left_out: [...leftOut], ...settling };
  return { state: "written", name, sha256, size: bytes.length, ...said };
}

/** Claims what still waits of what a file asks for; answers with all that it has. */
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
 * Has the payments of a written file know what it decided: by what answers name them, and which
 * were left out. Repeated it changes nothing.
 */
export async function tellPayments(work: FileWork, file: FileDocument): Promise<void> {
  const { store, clock, log } = work;
  const at = clock.now();
  const { _id, members = [], left_out = [] } = file;
  const told = { state: "filed" as const, file: _id };
  const writes: AnyBulkWriteOperation<PaymentDocument>[] = [
    ...byName(members).map(({ ids, ...named }): AnyBulkWriteOperation<PaymentDocument> => {
      const filter = { ...told, _id: { $in: ids }, sealed: { $exists: true } };
      return { updateMany: { filter, update: { $set: named, ...isWritten } } };
    }),
    ...left_out.map((fault) => ({ updateOne: refusal(fault, told, at) })),
  ];
  for (const { id, field, problem } of left_out) {
    log.warn({ payout_id: id, field, problem }, "payment refused: it does not fit the file");
  }
  for (let from = 0; from < writes.length; from += atOnce) {
    await store.payments.bulkWrite(writes.slice(from, from + atOnce), { ordered: false });
  }
}

/** The file has the beneficiary's account now, sealed as well: the payment need not. */
const isWritten = { $unset: { sealed: "" as const }, $inc: { revision: 1 } };

/** Payments by what names them: many in a block, one with a trace number. */
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

/** A payment that is in no file of the bank, nor ever will be. */
function refusal(
  { id, field }: StoredFault,
  told: { readonly state: "filed"; readonly file: string },
  at: Date,
) {
  return {
    filter: { ...told, _id: id },
    update: {
      $set: {
        ...{
          state: "rejected" as const,
          failure: { code: failureOfFault(field) ?? "UNSPECIFIED" },
        },
        ...{ owed: true, updated_at: at },
      },
      $unset: { sealed: "" as const },
      $inc: { revision: 1 },
    },
  };
}

async function isAsRead({ files }: BankStore, { _id, revision }: FileDocument): Promise<boolean> {
  return (await files.findOne({ _id, revision }, { projection: { _id: 1 } })) !== null;
}

/** Changes a file where it is as it was read; `undefined`: another write was first. */
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
