import {
  resealTexts,
  type SealedPlace,
  type SealedText,
} from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { fromStored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import type { Filter } from "mongodb";
import type { ScreeningHit } from "./rules/hit.ts";
import type { Screening, ScreeningKind, Subject } from "./rules/screening.ts";

const schemaVersion = 1;

/** A screening, and the canonical JSON of its request. */
export type StoredScreening = { readonly screening: Screening; readonly request: string };

/** Filters a page of screenings; "" and `undefined` match any value. */
export type ScreeningFilter = {
  readonly merchantId: string;
  readonly recordId: string;
  readonly verdict: Verdict | undefined;
  /** Returns screenings older than this id. */
  readonly before: string | undefined;
};

export type ScreeningStore = ReturnType<typeof openStore>;

export function openStore({ db }: Pick<Database, "db">, sealer: Sealer) {
  const screenings = db.collection<ScreeningDocument>("screenings");
  // If two records race with one operation id, both are kept; the first one is the operation's.
  const findOperation = async (kind: ScreeningKind, operationId: string) => {
    const filter = { kind, operation_id: operationId };
    const found = await screenings.findOne(filter, { sort: { _id: 1 } });
    return found === null ? undefined : openScreening(found, sealer);
  };
  return {
    /** The first result of an operation, for its repeats. */
    findOperation,

    /**
     * The first result of an operation. Omits screenings of this subject that were stored before it
     * and never in force. `openedBy` is the screening that its document was inserted with.
     */
    findInForce: async (
      operationId: string,
      { merchantId, recordId }: Subject,
      openedBy: string | undefined,
    ): Promise<StoredScreening | undefined> => {
      const opened = screenings.find({ kind: "party", operation_id: operationId }).sort({ _id: 1 });
      const first = (await opened.toArray()).find(
        ({ _id, opens, ...of }) =>
          opens !== true ||
          _id === openedBy ||
          of.merchant_id !== merchantId ||
          of.record_id !== recordId,
      );
      return first && openScreening(first, sealer);
    },

    /** Stores a screening; a repeat of its operation returns the first result. */
    save: async (record: StoredScreening & Change): Promise<StoredScreening> => {
      if (await insertOnce(screenings, screeningDocument(record, sealer))) return record;
      const first = await findOperation(record.screening.kind, record.operationId);
      if (first === undefined) throw new Error("a screening of another operation has this id");
      return first;
    },

    /** Stores the screening of a subject's document, unless it is already stored. */
    keep: async (document: ScreeningDocument) => void (await insertOnce(screenings, document)),

    /** Stores a screening before its subject; false if the operation has already stored one. */
    keepOpening: (document: ScreeningDocument) =>
      insertOnce(screenings, { ...document, opens: true }),

    get: async (id: string): Promise<StoredScreening | undefined> => {
      const found = await screenings.findOne({ _id: id });
      return found === null ? undefined : openScreening(found, sealer);
    },

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

/**
 * `screenings`: kept forever. The screened data, and the reasons, which quote names and dates, are
 * sealed. Ids, the verdict and the lists' public data are in the clear.
 */
export type ScreeningDocument = ReturnType<typeof screeningDocument> & {
  /** Stored before its subject. It was in force only if the subject names it in `opened_by`. */
  readonly opens?: true;
};

/**
 * The sealed data. It has the whole request, so that it can be screened again when a list changes,
 * and the parts of each hit that quote the party. It also has the wallet risk provider's response,
 * because its references can contain the address.
 */
type Sealed = {
  readonly request: string;
  readonly hits: readonly Pick<ScreeningHit, SealedOfHit>[];
  readonly assessment?: NonNullable<Screening["assessment"]>;
};

type SealedOfHit = "parts" | "partyLeftOver" | "entryLeftOver" | "reasons";

type FoundHit = Omit<Screening["hits"][number], SealedOfHit>;

const sealContext = (merchantId: string, id: string) => `${merchantId}|${id}|screening`;

/** The sealed text of a screening, which is stored by itself or, at first, with its subject. */
export function sealedText(
  {
    _id,
    merchant_id: merchantId,
    sealed,
  }: Pick<ScreeningDocument, "_id" | "merchant_id" | "sealed">,
  path: string,
): SealedText {
  return { path, text: sealed, context: sealContext(merchantId, _id) };
}

export const sealedScreenings: SealedPlace = {
  collection: "screenings",
  reseal: (document, sealer) =>
    resealTexts([sealedText(document as unknown as ScreeningDocument, "sealed")], sealer),
};

export function screeningDocument(record: StoredScreening & Change, sealer: Sealer) {
  const { id, kind, trigger, subject, verdict, hits, lists, assessment } = record.screening;
  const sealed: Sealed = {
    request: record.request,
    hits: hits.map(({ parts, partyLeftOver, entryLeftOver, reasons }) => {
      return { parts, partyLeftOver, entryLeftOver, reasons };
    }),
    ...(assessment && { assessment }),
  };
  return {
    _id: id,
    schema_version: schemaVersion,
    kind,
    trigger,
    operation_id: record.operationId,
    actor: record.actor,
    merchant_id: subject.merchantId,
    record_id: subject.recordId,
    verdict,
    hits: toStored(hits.map(foundHit)),
    lists: toStored(lists),
    configuration_version: record.screening.configurationVersion,
    created_at: record.screening.createdAt,
    sealed: sealer.seal(JSON.stringify(sealed), sealContext(subject.merchantId, id)),
  };
}

function foundHit(hit: Screening["hits"][number]): FoundHit {
  const {
    parts: _,
    partyLeftOver: _party,
    entryLeftOver: _entry,
    reasons: _reasons,
    ...found
  } = hit;
  return found;
}

/** Opens a screening and its request. */
export function openScreening(document: ScreeningDocument, sealer: Sealer): StoredScreening {
  const { _id: id, kind, trigger, verdict, merchant_id: merchantId } = document;
  const sealed = JSON.parse(sealer.open(document.sealed, sealContext(merchantId, id))) as Sealed;
  const { assessment } = sealed;
  const screening: Screening = {
    id,
    kind,
    trigger,
    verdict,
    subject: { merchantId, recordId: document.record_id },
    hits: fromStored<readonly FoundHit[]>(document.hits).map((hit, at) => ({
      ...hit,
      ...(sealed.hits[at] ?? { parts: [], partyLeftOver: [], entryLeftOver: [], reasons: [] }),
    })),
    lists: fromStored<Screening["lists"]>(document.lists),
    configurationVersion: document.configuration_version,
    ...(assessment && { assessment: { ...assessment, asOf: new Date(assessment.asOf) } }),
    createdAt: document.created_at,
  };
  return { screening, request: sealed.request };
}
