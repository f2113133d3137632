import type { RemoteFile } from "@disburse/bank-files/sftp/session.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { AnyBulkWriteOperation } from "mongodb";
import { readContent, sha256Of, storeContent } from "./contents.ts";
import type { BankStore, PaymentDocument, ReceivedDocument } from "./documents.ts";
import { noteFindings } from "./findings.ts";
import type { Answer, DayBalance, Found, Wanted } from "./format.ts";
import type { SendWork } from "./sending.ts";
import { type BankVerdict, changeBy } from "./verdicts.ts";

/** A statement of 50,000 entries; the readers take no more. */
const bytesMax = 64 * 2 ** 20;
/** Keys of one query, and writes of one command. */
const atOnce = 1_000;
/** Tries of a file whose payments other writers change meanwhile. */
const triesMax = 10;

/** What a process remembers between two looks: what it has seen, and what it could not take. */
export type FolderMemory = {
  readonly known: Set<string>;
  last: ReadonlySet<string>;
  readonly failedAt: Map<string, number>;
};

/** What a look has not seen yet. */
export function newMemory(): FolderMemory {
  return { known: new Set(), last: new Set(), failedAt: new Map() };
}

const seenAs = ({ name, size, modifiedAt }: RemoteFile) => `${name}|${size}|${modifiedAt}`;

/**
 * Downloads the files of the bank that are new, each whole. One is new when it lay there in the
 * same size and with the same time at the look before: a file that grows is not taken.
 */
export async function receiveFiles(work: SendWork, memory: FolderMemory): Promise<void> {
  const { server, store, rail } = work;
  await server.inSession(async (session) => {
    const listed = await session.list(server.incoming);
    const fresh = listed.filter((each) => !memory.known.has(seenAs(each)));
    const stored = await seenBefore(store, rail, fresh.map(seenAs));
    for (const each of stored) memory.known.add(each);
    const before = memory.last;
    memory.last = new Set(listed.map(seenAs));
    for (const file of fresh) {
      const key = seenAs(file);
      if (memory.known.has(key) || !before.has(key)) continue;
      const bytes =
        file.size > bytesMax ? undefined : await session.download(server.incoming, file, bytesMax);
      if (bytes !== undefined) await keepFile(work, bytes, key);
      else if (file.size > bytesMax) await noteTooLarge(work, file);
      else continue;
      memory.known.add(key);
    }
  });
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

/** Keeps a file whole, once by its hash; under another name it is the same one. */
async function keepFile(work: SendWork, bytes: Uint8Array, seen: string): Promise<void> {
  const { store, sealer, rail, clock, log } = work;
  const sha256 = await storeContent(store, sealer, rail, bytes);
  const _id = `${rail} ${sha256}`;
  const isNew = await insertOnce(store.received, {
    ...{ _id, schema_version: 1, rail, sha256, size: bytes.length, seen: [seen] },
    ...{ state: "stored", open: rail, received_at: clock.now() },
  });
  if (!isNew) await store.received.updateOne({ _id }, { $addToSet: { seen } });
  log.info({ rail, sha256, size: bytes.length, isNew }, "file of the bank received");
}

async function noteTooLarge(work: SendWork, file: RemoteFile): Promise<void> {
  const what = `has ${file.size} bytes, ${bytesMax} at most`;
  const sha256 = sha256Of(new TextEncoder().encode(seenAs(file)));
  await noteFindings(work, { file: sha256, name: file.name }, [{ kind: "unreadable", what }]);
}

/** Takes the files that were received and are not taken yet; one that fails keeps no other. */
export async function takeFiles(
  work: SendWork,
  { failedAt }: FolderMemory,
  againMs: number,
): Promise<void> {
  const { store, rail, clock, log } = work;
  const nowMs = clock.now().getTime();
  const open = await store.received.find({ open: rail }).sort({ received_at: 1 }).toArray();
  for (const file of open) {
    const { _id, sha256 } = file;
    if (nowMs - (failedAt.get(_id) ?? nowMs - againMs) < againMs) continue;
    try {
      await takeFile(work, file);
      failedAt.delete(_id);
    } catch (error) {
      failedAt.set(_id, nowMs);
      log.error({ err: error, rail, sha256 }, "file of the bank not taken");
      const of = { file: _id, name: nameOf(file) };
      await noteFindings(work, of, [{ kind: "unread", what: "is not taken yet: see the log" }]);
    }
  }
}

/** Reads a file, and has payments know what it says of them. Repeated it changes nothing. */
async function takeFile(work: SendWork, file: ReceivedDocument): Promise<void> {
  const { store, sealer, format, rail, log, clock } = work;
  const { _id, sha256 } = file;
  const bytes = await readContent(store, sealer, rail, sha256);
  const read = format.read(bytes);
  const of = { file: _id, name: nameOf(file) };
  if (isRefused(read)) {
    const what = read.detail ?? "is of no format that the rail reads";
    await noteFindings(work, of, [{ kind: "unreadable", what }]);
    log.warn({ rail, sha256, what }, "file of the bank not read");
    await close(store, file, { state: "unreadable", taken_at: clock.now() });
    return;
  }
  const { verdicts, found } = await applyAnswer(work, read);
  const contradictions = await storeBalances(work, read.balances, _id);
  const unread = read.unread.map(({ place, problem }): Found => {
    return { kind: "unread", what: problem, place };
  });
  await noteFindings(work, of, [...read.found, ...found, ...unread, ...contradictions]);
  const counts = countsOf(verdicts, found);
  await close(store, file, {
    ...{ state: "taken", kind: read.kind, verdicts: counts, taken_at: clock.now() },
  });
  log.info({ rail, sha256, kind: read.kind, ...counts }, "file of the bank taken");
}

/** The name under which it came first. */
function nameOf({ seen }: ReceivedDocument): string {
  return seen[0]?.split("|")[0] ?? "";
}

function close({ received }: BankStore, { _id }: ReceivedDocument, set: Partial<ReceivedDocument>) {
  return received.updateOne({ _id }, { $set: set, $unset: { open: "" } });
}

/** Applies what a file says to its payments, where they are as they were when it was judged. */
async function applyAnswer(work: SendWork, answer: Answer) {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const payments = await wantedPayments(work.store, work.rail, answer.wanted);
    const meaning = answer.meaningFor(payments);
    if (await applyVerdicts(work, payments, meaning.verdicts)) return meaning;
  }
  throw new Error("payments of a file changed again and again");
}

async function applyVerdicts(
  { store, clock }: SendWork,
  payments: readonly PaymentDocument[],
  verdicts: readonly BankVerdict[],
): Promise<boolean> {
  const at = clock.now();
  const byPayment = Map.groupBy(verdicts, ({ payoutId }) => payoutId);
  const writes = payments.flatMap((payment): AnyBulkWriteOperation<PaymentDocument>[] => {
    const { _id, revision } = payment;
    const change = changeBy(payment, byPayment.get(_id) ?? [], at);
    if (change === undefined) return [];
    const unset = Object.fromEntries(change.unset.map((name) => [name, "" as const]));
    const update = {
      $set: { ...change.set, revision: revision + 1 },
      ...(change.unset.length > 0 && { $unset: unset }),
    };
    return [{ updateOne: { filter: { _id, revision }, update } }];
  });
  let matched = 0;
  for (let from = 0; from < writes.length; from += atOnce) {
    const some = writes.slice(from, from + atOnce);
    matched += (await store.payments.bulkWrite(some, { ordered: false })).matchedCount;
  }
  return matched === writes.length;
}

/** The payments that an answer names, in any way; without what is sealed. */
async function wantedPayments(
  { payments }: BankStore,
  rail: string,
  { payoutIds, uetrs, bankReferences, files, blocks, traces }: Wanted,
): Promise<PaymentDocument[]> {
  const found = new Map<string, PaymentDocument>();
  const find = async (field: string, values: readonly string[]) => {
    const unique = [...new Set(values)];
    for (let from = 0; from < unique.length; from += atOnce) {
      const filter = { rail, [field]: { $in: unique.slice(from, from + atOnce) } };
      const cursor = payments.find(filter, { projection: { sealed: 0 } });
      for (const each of await cursor.toArray()) found.set(each._id, each);
    }
  };
  await find("_id", payoutIds);
  await find("uetr", uetrs);
  await find("bank_reference", bankReferences);
  await find("file", files);
  await find("block", blocks);
  await find("trace", traces);
  // What no file has in it was never sent: nothing that a bank says is about it.
  return [...found.values()].filter(({ block, trace }) => (block ?? trace) !== undefined);
}

/** Stores the balances of days; another one for a day that has one is a contradiction. */
async function storeBalances(
  { store, rail, clock }: SendWork,
  balances: readonly DayBalance[],
  received: string,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const { day, opening, closing, currency } of balances) {
    const _id = `${rail} ${day}`;
    const isNew = await insertOnce(store.balances, {
      ...{ _id, schema_version: 1, rail, day, currency, received, at: clock.now() },
      ...{ opening_minor: toDecimal128(opening), closing_minor: toDecimal128(closing) },
    });
    if (isNew) continue;
    const known = await store.balances.findOne({ _id });
    const isSame =
      known !== null &&
      fromDecimal128(known.opening_minor) === opening &&
      fromDecimal128(known.closing_minor) === closing;
    if (!isSame) found.push({ kind: "balance", what: "another balance of the day", place: day });
  }
  return found;
}

function countsOf(verdicts: readonly BankVerdict[], found: readonly Found[]) {
  const counts: Record<string, number> = {};
  for (const { verdict } of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
  for (const { kind } of found) {
    if (kind === "unmatched") counts.unmatched = (counts.unmatched ?? 0) + 1;
  }
  return counts;
}
