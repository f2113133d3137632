import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import type { Filter } from "mongodb";
import {
  type NewScreening,
  openScreening,
  type ScreeningDocument,
  screeningDocument,
} from "./document.ts";
import type { Screening, ScreeningKind } from "./rules/screening.ts";

/** A screening that is stored, and the canonical JSON of what was asked. */
export type StoredScreening = { readonly screening: Screening; readonly request: string };

/** Which screenings a page shows; "" and `undefined` are any. */
export type ScreeningFilter = {
  readonly merchantId: string;
  readonly recordId: string;
  readonly verdict: Verdict | undefined;
  /** Older than this one. */
  readonly before: string | undefined;
};

export type ScreeningStore = Awaited<ReturnType<typeof openStore>>;

/** The screenings. */
export async function openStore({ db }: Pick<Database, "db">, sealer: Sealer) {
  const screenings = db.collection<ScreeningDocument>("screenings");
  // Ids are time-ordered, so each index ends with the order of a page.
  await ensureIndexes(db, "screenings", [
    {
      key: { kind: 1, operation_id: 1, merchant_id: 1, record_id: 1 },
      name: "operation_of_record",
      unique: true,
    },
    { key: { merchant_id: 1, _id: -1 }, name: "merchant" },
    { key: { merchant_id: 1, verdict: 1, _id: -1 }, name: "merchant_verdict" },
    { key: { record_id: 1, _id: -1 }, name: "record" },
    { key: { verdict: 1, _id: -1 }, name: "verdict" },
  ]);
  const findOperation = async (
    kind: ScreeningKind,
    operationId: string,
  ): Promise<StoredScreening | undefined> => {
    // Two records that race with one operation id are both kept; the first is what it was for.
    const [found = null] = await screenings
      .find({ kind, operation_id: operationId })
      .sort({ _id: 1 })
      .limit(1)
      .toArray();
    return found === null ? undefined : openScreening(found, sealer);
  };
  return {
    /** The first result of an operation, for its repeats. */
    findOperation,

    /** Keeps a screening; when its operation was first elsewhere, answers with that result. */
    save: async (made: NewScreening): Promise<StoredScreening> => {
      try {
        await screenings.insertOne(screeningDocument(made, sealer));
        return { screening: made.screening, request: made.request };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await findOperation(made.screening.kind, made.operationId);
        if (first === undefined) throw error;
        return first;
      }
    },

    /** Keeps the screening of a subject's document; it may be kept already. */
    keep: async (document: ScreeningDocument): Promise<void> => {
      try {
        await screenings.insertOne(document);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },

    get: async (id: string): Promise<StoredScreening | undefined> => {
      const found = await screenings.findOne({ _id: id });
      return found === null ? undefined : openScreening(found, sealer);
    },

    /** Newest first. */
    list: async (filter: ScreeningFilter, limit: number): Promise<Screening[]> => {
      const query: Filter<ScreeningDocument> = {
        ...(filter.merchantId === "" ? {} : { merchant_id: filter.merchantId }),
        ...(filter.recordId === "" ? {} : { record_id: filter.recordId }),
        ...(filter.verdict === undefined ? {} : { verdict: filter.verdict }),
        ...(filter.before === undefined ? {} : { _id: { $lt: filter.before } }),
      };
      const found = await screenings.find(query).sort({ _id: -1 }).limit(limit).toArray();
      return found.map((document) => openScreening(document, sealer).screening);
    },
  };
}
