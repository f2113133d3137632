import {
  type Database,
  isDuplicateKey,
  isOnlyDuplicateKeys,
} from "@disburse/chassis/mongo/database.ts";
import { type Collection, MongoBulkWriteError } from "mongodb";

export type Row = { _id: string; [field: string]: unknown };

/** A query or update with its expected result, which must be the same for every store. */
export type ContractCase = {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly run: (rows: Collection<Row>, database: Database) => Promise<unknown>;
};

/** Returns the refusal of a write in the way that our stores detect it. */
export async function refusalOf(write: Promise<unknown>): Promise<unknown> {
  const error: unknown = await write.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const isBulk = error instanceof MongoBulkWriteError;
  const failed = isBulk ? [error.writeErrors].flat().map(({ index }) => index) : [];
  return {
    isRefused: error !== undefined,
    isDuplicate: isDuplicateKey(error),
    isOnlyDuplicates: isOnlyDuplicateKeys(error),
    failed,
  };
}

/** Returns a time in seconds after the epoch. */
export const at = (seconds: number): Date => new Date(1_000 * seconds);
export const ids = async (found: Promise<Row[]>) => (await found).map(({ _id }) => _id);

/** Expects a query to return the ids of some of these rows. */
export function taking(name: string, rows: readonly Row[], filter: object): ContractCase {
  return { name, rows, run: (of) => ids(of.find(filter).sort({ _id: 1 }).toArray()) };
}

/** Expects an update's result and the changed row `a`. */
export function changing(
  name: string,
  row: object,
  update: object,
  options: object = {},
): ContractCase {
  return {
    name,
    rows: [{ _id: "a", ...row }],
    run: async (of) => {
      const { matchedCount, modifiedCount } = await of.updateOne({ _id: "a" }, update, options);
      return { matchedCount, modifiedCount, row: await of.findOne({ _id: "a" }) };
    },
  };
}
