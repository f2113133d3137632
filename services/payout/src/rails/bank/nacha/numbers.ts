import type { BankStore, FileDocument } from "../documents.ts";

/** A day has 36 file id modifiers. */
const filesMax = 36;
/** Seven digits of a trace number. */
const traceMax = 9_999_999;

/**
 * Reserves a file id modifier of a day, and trace numbers: each is given once, also where the file
 * never comes to be. Trace numbers begin anew when seven digits are used up.
 */
export async function reserveNumbers(
  store: BankStore,
  {
    rail,
    day,
    payments,
  }: { readonly rail: string; readonly day: string; readonly payments: number },
): Promise<NonNullable<FileDocument["numbers"]>> {
  const ordinal = await reserve(store, `${rail} files ${day}`, 1, undefined);
  if (ordinal > filesMax) throw new Error(`a day has ${filesMax} NACHA files`);
  // Each payment has one. Each batch may have one that balances it, and has a payment.
  const trace_from = await reserve(store, `${rail} traces`, 2 * payments + 1, traceMax);
  return { ordinal: ordinal - 1, trace_from };
}

/** The first of so many numbers, from 1; from 1 again where so many do not fit before `last`. */
async function reserve(
  { counters }: BankStore,
  _id: string,
  count: number,
  last: number | undefined,
): Promise<number> {
  const present = { $ifNull: ["$next", 1] };
  const fits = last === undefined || { $lte: [{ $add: [present, count] }, last + 1] };
  const given = { $cond: [fits, present, 1] };
  const found = await counters.findOneAndUpdate(
    { _id },
    [{ $set: { schema_version: 1, given, next: { $add: [given, count] } } }],
    { upsert: true, returnDocument: "after" },
  );
  if (found === null) throw new Error("a counter that was written is gone");
  return found.given;
}
