import {
  type Database,
  isDuplicateKey,
  isOnlyDuplicateKeys,
} from "@disburse/chassis/mongo/database.ts";
import { type Collection, MongoBulkWriteError } from "mongodb";

/** A document of the suite: any fields, an id of ours. */
export type Row = { _id: string; [field: string]: unknown };

/** What one kind of query or update answers, which has to be the same of every store. */
export type ContractCase = {
  readonly name: string;
  /** Stored before, in this order. */
  readonly rows: readonly Row[];
  readonly run: (rows: Collection<Row>, database: Database) => Promise<unknown>;
};

/** A refusal in the words that our stores read it with. */
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

/** A time: so many seconds after the epoch. */
export const at = (seconds: number): Date => new Date(1_000 * seconds);
export const ids = async (found: Promise<Row[]>) => (await found).map(({ _id }) => _id);

/** A query that takes the ids of some of these rows. */
export function taking(name: string, rows: readonly Row[], filter: object): ContractCase {
  return { name, rows, run: (of) => ids(of.find(filter).sort({ _id: 1 }).toArray()) };
}

/** An update of one row `a`: what it says, and the row after it. */
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
