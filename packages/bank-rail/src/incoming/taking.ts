import type { StatementDay } from "@disburse/bank-files/matching/balance.ts";
import { summaryFindings, verdictFindings } from "@disburse/bank-files/matching/findings.ts";
import type { FileVerdict, Wanted } from "@disburse/bank-files/matching/judge.ts";
import { fileBytesMax } from "@disburse/bank-files/normalise/text.ts";
import { type OpenedFile, ReadingFailed } from "@disburse/bank-files/reading/opened-file.ts";
import type { RemoteFile } from "@disburse/bank-files/sftp/session.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { AnyBulkWriteOperation } from "mongodb";
import { readContent, sha256Of, storeContent } from "../contents.ts";
import type { BankStore, PaymentDocument, ReceivedDocument } from "../documents.ts";
import type { FileWork } from "../files.ts";
import { concludeAnswered, type SendWork } from "../sending.ts";
import { type FindingSource, type Found, noteFindings } from "./findings.ts";
import { changeBy, type FailureOf, type PaymentVerdict, sentPayment } from "./verdicts.ts";

/** The maximum number of keys in one query, and of writes in one command. */
const atOnce = 1_000;
/** The maximum number of attempts to apply a file whose payments change concurrently. */
const triesMax = 10;
/**
 * The maximum number of attempts to read a file that crashes its reader. After that the file is set
 * aside.
 */
const attemptsMax = 3;

/** State that a process keeps between two polls of the folder. */
export type FolderMemory = {
  /** The listed files that are already stored or have a finding. */
  readonly known: Set<string>;
  last: ReadonlyMap<string, RemoteFile>;
  /** The last failure time for each stored file. */
  readonly failedAt: Map<string, number>;
};

export function newMemory(): FolderMemory {
  return { known: new Set(), last: new Map(), failedAt: new Map() };
}

const seenAs = ({ name, size, modifiedAt }: RemoteFile) => `${name}|${size}|${modifiedAt}`;

/**
 * Downloads the bank's new files. A file is downloaded when two polls list it with the same size
 * and time, because it is then complete. If a file disappears before that, a finding is created.
 * Returns the start time of the poll if every listed file is stored or has a finding. Returns
 * `undefined` otherwise.
 */
export async function receiveFiles(
  work: SendWork,
  memory: FolderMemory,
): Promise<Date | undefined> {
  const { server, store, rail, clock } = work;
  return server.inSession(async (session) => {
    const polledAt = clock.now();
    const listed = await session.list(server.incoming);
    const before = memory.last;
    const gone = goneOf(before, listed);
    const unknown = [...listed, ...gone].map(seenAs).filter((each) => !memory.known.has(each));
    for (const each of await seenBefore(store, rail, unknown)) memory.known.add(each);
    for (const file of gone)
      await noteUnfetched(
        work,
        memory,
        file,
        "the file disappeared from the bank's server before it was fetched",
      );
    memory.last = new Map(listed.map((each) => [seenAs(each), each]));
    const fresh = listed.filter((each) => !memory.known.has(seenAs(each)));
    for (const file of fresh) {
      const key = seenAs(file);
      if (memory.known.has(key) || !before.has(key)) continue;
      if (file.size > fileBytesMax) {
        const what = `the file has ${file.size} bytes; the rail reads at most ${fileBytesMax}`;
        await noteUnfetched(work, memory, file, what);
        continue;
      }
      const bytes = await session.download(server.incoming, file, fileBytesMax);
      if (bytes === undefined) continue;
      await keepFile(work, bytes, key);
      memory.known.add(key);
    }
    return listed.every((each) => memory.known.has(seenAs(each))) ? polledAt : undefined;
  });
}

/**
 * Returns the files of the last poll that have disappeared. Ignores files that grew or were
 * renamed.
 */
function goneOf(
  before: ReadonlyMap<string, RemoteFile>,
  listed: readonly RemoteFile[],
): readonly RemoteFile[] {
  const names = new Set(listed.map(({ name }) => name));
  const fresh = listed.filter((each) => !before.has(seenAs(each)));
  const isRenamed = (file: RemoteFile) =>
    fresh.some(({ name, size, modifiedAt }) => {
      const isSame = size === file.size && modifiedAt === file.modifiedAt;
      // A complete file may lose an affix: `.returns.ach.part` becomes `returns.ach`.
      return isSame || file.name.includes(name);
    });
  return [...before.values()].filter((file) => !names.has(file.name) && !isRenamed(file));
}

async function seenBefore({ received }: BankStore, rail: string, keys: readonly string[]) {
  const seen: string[] = [];
  for (let from = 0; from < keys.length; from += atOnce) {
    const some = keys.slice(from, from + atOnce);
    const found = received.find({ rail, seen: { $in: some } }).project<{ seen: string[] }>({
      seen: 1,
    });
    for await (const each of found) seen.push(...each.seen);
  }
  return seen;
}

/** Stores a complete file from the bank. Equal files are stored once, even under several names. */
export async function keepFile(
  work: Pick<FileWork, "store" | "sealer" | "rail" | "clock" | "log">,
  bytes: Uint8Array,
  seen: string,
): Promise<void> {
  const { store, sealer, rail, clock, log } = work;
  const sha256 = await storeContent(store, sealer, rail, bytes);
  const _id = `${rail} ${sha256}`;
  const isNew = await insertOnce(store.received, {
    _id,
    schema_version: 1,
    rail,
    sha256,
    size: bytes.length,
    seen: [seen],
    state: "stored",
    open: rail,
    reads: 0,
    received_at: clock.now(),
  });
  if (!isNew) await store.received.updateOne({ _id }, { $addToSet: { seen } });
  log.info({ rail, sha256, size: bytes.length, isNew }, "bank file received");
}

/**
 * Creates a finding for a file that was not fetched, because the file may contain a response of the
 * bank.
 */
async function noteUnfetched(
  work: SendWork,
  { known }: FolderMemory,
  file: RemoteFile,
  what: string,
): Promise<void> {
  const key = seenAs(file);
  if (known.has(key)) return;
  const sha256 = sha256Of(new TextEncoder().encode(key));
  const found: Found = { kind: "unreadable", what, holds: true };
  await noteFindings(work, { file: `${work.rail} ${sha256}`, name: file.name }, [found]);
  known.add(key);
}

/** Reads the open received files. A file that fails does not block the others. */
export async function processFiles(
  work: FileWork,
  { failedAt }: FolderMemory,
  againMs: number,
): Promise<void> {
  const { store, rail, clock, log } = work;
  const nowMs = clock.now().getTime();
  const open = await store.received.find({ open: rail }).sort({ received_at: 1 }).toArray();
  for (const file of open) {
    const { _id, sha256, attempts = 0 } = file;
    if (nowMs - (failedAt.get(_id) ?? nowMs - againMs) < againMs) continue;
    try {
      if (attempts >= attemptsMax) await setAside(work, file);
      else await attempt(work, file);
      failedAt.delete(_id);
    } catch (error) {
      failedAt.set(_id, nowMs);
      log.error(
        { err: error, rail, sha256, attempts: attempts + 1 },
        "processing a file from the bank failed; it will be retried",
      );
    }
  }
}

/**
 * Counts each attempt before it starts, so that an attempt that crashes the process is counted too.
 */
async function attempt(work: FileWork, file: ReceivedDocument): Promise<void> {
  const { received } = work.store;
  const { _id, reads } = file;
  await received.updateOne({ _id, reads }, { $inc: { attempts: 1 } });
  try {
    await processFile(work, file);
  } catch (error) {
    // For any other error, the database or our own code failed, not the reader.
    const isReader = error instanceof ReadingFailed;
    if (!isReader) await received.updateOne({ _id, reads }, { $inc: { attempts: -1 } });
    throw error;
  }
}

/** Sets aside a file that crashes its reader, and creates a finding. */
async function setAside(work: FileWork, file: ReceivedDocument): Promise<void> {
  const { store, rail, log, clock } = work;
  const what = `the file could not be processed in ${attemptsMax} attempts`;
  await noteFindings(work, sourceOf(file), [{ kind: "set_aside", what, holds: true }]);
  log.error(
    { rail, sha256: file.sha256 },
    "every attempt to process a file from the bank failed; an operator must handle its finding",
  );
  await close(store, file, { state: "set_aside", taken_at: clock.now() });
}

/** Reads a file and applies it to its payments. A repeat changes nothing. */
async function processFile(work: FileWork, file: ReceivedDocument): Promise<void> {
  const { store, sealer, format, rail, log, clock } = work;
  const { _id, sha256, corrected_sha256: corrected = sha256 } = file;
  const bytes = await readContent(store, sealer, rail, corrected);
  const opened = await work.open(bytes, format.judging);
  if (isRefused(opened)) {
    const what = opened.detail ?? "the file is not in a format that the rail reads";
    await noteFindings(work, sourceOf(file), [{ kind: "unreadable", what, holds: true }]);
    log.warn(
      { rail, sha256, what },
      "a file from the bank is unreadable; an operator must handle its finding",
    );
    await close(store, file, { state: "unreadable", taken_at: clock.now() });
    return;
  }
  try {
    const { summary } = opened;
    const contradictions = await storeBalances(work, summary.days, _id);
    await noteFindings(work, sourceOf(file), [...summaryFindings(summary), ...contradictions]);
    const counts = await applyFile(work, file, opened);
    const kind = [...new Set(summary.documents.map((each) => each.kind))].join(", ");
    await close(store, file, {
      state: "taken",
      kind,
      verdicts: counts,
      taken_at: clock.now(),
    });
    log.info({ rail, sha256, kind, ...counts }, "bank file processed");
  } finally {
    await opened.close();
  }
}

/**
 * Returns the source of a file's findings. It contains the first name under which the file was
 * listed.
 */
function sourceOf(received: ReceivedDocument): FindingSource {
  const name = received.seen[0]?.split("|")[0] ?? "";
  return { file: received._id, name, received };
}

/**
 * Closes a file after a reading. If operators requested another reading meanwhile, the file stays
 * open.
 */
function close(
  { received }: BankStore,
  { _id, reads }: ReceivedDocument,
  set: Partial<ReceivedDocument>,
) {
  return received.updateOne({ _id, reads }, { $set: set, $unset: { open: "" } });
}

/**
 * Applies a file's verdicts to its payments, if the payments are unchanged since the file was
 * judged. Findings are stored first: once a verdict is applied, judging the file again returns it
 * as known, without its finding. A crash between the two writes would lose the finding.
 */
async function applyFile(
  work: FileWork,
  file: ReceivedDocument,
  opened: OpenedFile,
): Promise<Record<string, number>> {
  const { store, rail } = work;
  const { failureOf } = work.format;
  const { summary } = opened;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const payments = await wantedPayments(store, rail, summary.wanted);
    const found: Found[] = [];
    const counts: Record<string, number> = {};
    const ofPayments = new Map<string, PaymentVerdict[]>();
    const answered = new Set<string>();
    for await (const verdicts of opened.judge(inPieces(payments.values(), sentPayment))) {
      found.push(...verdictFindings(verdicts, summary));
      for (const each of verdicts) {
        collect(each, counts, ofPayments);
        const sent = "payoutId" in each ? payments.get(each.payoutId ?? "")?.file : undefined;
        if (sent !== undefined) answered.add(sent);
      }
    }
    await noteFindings(work, sourceOf(file), found);
    await concludeAnswered(work, answered);
    if (await applyVerdicts({ ...work, failureOf }, payments, ofPayments)) return counts;
  }
  throw new Error(
    "every attempt to apply the bank's file conflicted with another change of its payments",
  );
}

function collect(
  verdict: FileVerdict,
  counts: Record<string, number>,
  ofPayments: Map<string, PaymentVerdict[]>,
): void {
  counts[verdict.verdict] = (counts[verdict.verdict] ?? 0) + 1;
  if (verdict.verdict === "information" || verdict.verdict === "unmatched") return;
  const all = ofPayments.get(verdict.payoutId);
  if (all === undefined) ofPayments.set(verdict.payoutId, [verdict]);
  else all.push(verdict);
}

/** Splits values into batches, so that other work can run between them. */
function* inPieces<T, U>(values: Iterable<T>, map: (value: T) => U): Generator<U[]> {
  let piece: U[] = [];
  for (const value of values) {
    piece.push(map(value));
    if (piece.length < atOnce) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Writes verdicts to payments. Returns `false` if a payment changed since it was read. */
export async function applyVerdicts(
  {
    store,
    clock,
    failureOf,
  }: Pick<FileWork, "store" | "clock"> & { readonly failureOf: FailureOf },
  payments: ReadonlyMap<string, PaymentDocument>,
  ofPayments: ReadonlyMap<string, readonly PaymentVerdict[]>,
): Promise<boolean> {
  const at = clock.now();
  const writeOf = ([id, verdicts]: readonly [string, readonly PaymentVerdict[]]) => {
    const payment = payments.get(id);
    const change = payment && changeBy(payment, verdicts, at, failureOf);
    if (payment === undefined || change === undefined) return undefined;
    const { _id, revision } = payment;
    const unset = Object.fromEntries(change.unset.map((name) => [name, "" as const]));
    const update = {
      $set: { ...change.set, revision: revision + 1 },
      ...(change.unset.length > 0 && { $unset: unset }),
    };
    const write: AnyBulkWriteOperation<PaymentDocument> = {
      updateOne: { filter: { _id, revision }, update },
    };
    return write;
  };
  let isApplied = true;
  for (const piece of inPieces(ofPayments, writeOf)) {
    const writes = piece.filter((each) => each !== undefined);
    if (writes.length === 0) continue;
    const { matchedCount } = await store.payments.bulkWrite(writes, { ordered: false });
    isApplied &&= matchedCount === writes.length;
  }
  return isApplied;
}

/** Returns the payments that a file names in any way, without their encrypted orders. */
async function wantedPayments(
  { payments }: BankStore,
  rail: string,
  { payoutIds, uetrs, bankReferences, files, blocks, traces }: Wanted,
): Promise<ReadonlyMap<string, PaymentDocument>> {
  const found = new Map<string, PaymentDocument>();
  const find = async (field: string, values: readonly string[]) => {
    for (let from = 0; from < values.length; from += atOnce) {
      const filter = { rail, [field]: { $in: values.slice(from, from + atOnce) } };
      // A single file or block name can match thousands of payments. Reading them in batches lets
      // other work run.
      const options = { projection: { sealed: 0 }, batchSize: atOnce };
      // A payment without a file was never sent, so no response can concern it.
      for await (const each of payments.find(filter, options)) {
        if ((each.block ?? each.trace) !== undefined) found.set(each._id, each);
      }
    }
  };
  await find("_id", payoutIds);
  await find("uetr", uetrs);
  await find("bank_reference", bankReferences);
  await find("file", files);
  await find("block", blocks);
  await find("trace", traces);
  return found;
}

/**
 * Stores the daily balances from a file. Reading the file again replaces its balances. A balance
 * from another file stays, and a difference between the two is reported as a contradiction.
 */
async function storeBalances(
  { store, rail, clock }: Pick<FileWork, "store" | "rail" | "clock">,
  days: readonly StatementDay[],
  received: string,
): Promise<Found[]> {
  const found: Found[] = [];
  await store.balances.deleteMany({ rail, received, day: { $nin: days.map(({ day }) => day) } });
  const stored = new Set<string>();
  for (const { day, opening, closing, difference, hasGaps = false } of days) {
    const balance = {
      currency: closing.currency,
      at: clock.now(),
      opening_minor: toDecimal128(opening.minor),
      closing_minor: toDecimal128(closing.minor),
      is_balanced: difference.minor === 0n && !hasGaps,
    };
    const _id = `${rail} ${day}`;
    const document = { ...balance, _id, schema_version: 1, rail, day, received };
    const isFirst = !stored.has(day);
    stored.add(day);
    if (await insertOnce(store.balances, document)) continue;
    const own = { _id, received };
    const replaced = isFirst && (await store.balances.updateOne(own, { $set: balance }));
    if (replaced !== false && replaced.matchedCount === 1) continue;
    const known = await store.balances.findOne({ _id });
    const isSame =
      known !== null &&
      fromDecimal128(known.opening_minor) === opening.minor &&
      fromDecimal128(known.closing_minor) === closing.minor;
    if (isSame) continue;
    const what = "another balance of the day";
    found.push({ kind: "balance", what, place: day, holds: true });
  }
  return found;
}
