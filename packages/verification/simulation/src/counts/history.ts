import { compileCopy } from "@disburse/harness/copies.ts";
import type { Platform } from "../platform.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";
import type { FundedAccount } from "../workload/set-up.ts";

/** Time between two copies. Longer than a payout takes. */
const apartMs = 2_000;
/**
 * Collections whose documents belong to several payouts. An account's payouts share its document.
 */
const shared = ["accounts"];

/**
 * Stores finished payouts as copies of all documents of the account's oldest payout, and updates
 * the account's counts. The copies have the hashes and balances of the original.
 */
export async function addHistory(
  { databases }: Pick<Platform, "databases">,
  { id: accountId }: FundedAccount,
  copies: number,
): Promise<void> {
  const payouts = databases.payout.documents("payouts");
  const original = payouts.find((each) => each.account_id === accountId);
  if (original === undefined) throw new Error("the account has no payout to copy");
  const names = namesOf(databases, String(original._id).slice("po_".length));
  const stored = databases.payout.documents("accounts").find(({ _id }) => _id === accountId);
  const sequence = Number(stored?.sequence);
  let entries = 0;
  for (const database of Object.values(databases)) {
    for (const [collection, documents] of partsOf(database, names)) {
      const copiers = documents.map((document) => compileCopy(document, names));
      const all = Array.from({ length: copies }, (_each, at) => {
        const terms = {
          names: names.map((name) => renamed(name, at)),
          shiftMs: -apartMs * (at + 1),
        };
        return copiers.map((copier) => copier(terms));
      }).flat();
      if (collection === "ledger_entries") {
        for (const entry of all) {
          entries += 1;
          entry.sequence = sequence + entries;
        }
      }
      await collectionOf(database, collection).insertMany(all as { _id: string }[]);
    }
  }
  const ended = sequence + entries;
  await collectionOf(databases.payout, "accounts").updateOne(
    { _id: accountId },
    {
      $set: { sequence: ended, recorded_sequence: ended },
      $inc: { "counts.succeeded": copies },
    },
  );
}

function collectionOf(database: MemoryDatabase, name: string) {
  return database.connect(database.direct).db.collection<{ _id: string }>(name);
}

/** Returns the documents of each collection that contain one of these names. */
function partsOf(database: MemoryDatabase, names: readonly string[]) {
  return database.collections().flatMap((collection): [string, readonly Document[]][] => {
    if (shared.includes(collection)) return [];
    const found = database.documents(collection).filter((each) => namesAny(each, names));
    return found.length === 0 ? [] : [[collection, found]];
  });
}

/** Names that occur only in a payout's documents: its id, operations and deliveries. */
function namesOf({ payout, quote, notifier }: Platform["databases"], suffix: string): string[] {
  const [created] = payout.documents("payouts").filter(({ _id }) => _id === `po_${suffix}`);
  const [quoted] = quote.documents("quotes").filter(({ _id }) => _id === `qt_${suffix}`);
  const { operation_id } = (created?.order ?? {}) as { operation_id: string };
  const deliveries = notifier.documents("deliveries").filter((each) => namesAny(each, [suffix]));
  const ids = deliveries.map(({ _id }) => String(_id));
  return [suffix, operation_id, String(quoted?.operation_id), ...ids];
}

/**
 * Returns a new name of the same length. The name is unique because it contains capitals, which our
 * ids never do.
 */
function renamed(name: string, at: number): string {
  const mark = `X${String(at).padStart(5, "0")}`;
  return `${name.slice(0, -mark.length)}${mark}`;
}

/** Searches a document and its nested values for the names. */
function namesAny(value: unknown, names: readonly string[]): boolean {
  if (typeof value === "string") return names.some((name) => value.includes(name));
  if (typeof value !== "object" || value === null || "_bsontype" in value) return false;
  return Object.values(value).some((each) => namesAny(each, names));
}
