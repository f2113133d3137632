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
  // If concurrent calls store two records with one operation id, both are kept, and the first is
  // the operation's result.
  const findOperation = async (kind: ScreeningKind, operationId: string) => {
    const filter = { kind, operation_id: operationId };
    const found = await screenings.findOne(filter, { sort: { _id: 1 } });
    return found === null ? undefined : openScreening(found, sealer);
  };
  return {
    /** Returns the first result of an operation. */
    findOperation,

    /**
     * Returns the first result of an operation. Ignores screenings that were stored before this
     * subject and never came into force. `openedBy` is the screening with which the subject was
     * inserted.
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
      if (first === undefined)
        throw new Error("another operation has already used this screening id");
      return first;
    },

    /** Stores the screening of a subject's document, unless it is already stored. */
    keep: async (document: ScreeningDocument) => void (await insertOnce(screenings, document)),

    /**
     * Stores a screening before its subject. Returns false if the operation has already stored one.
     */
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
 * The collection `screenings`, kept forever. The screened data is encrypted, and so are the
 * reasons, which quote names and dates. Ids, the verdict and the lists' public data are not
 * encrypted.
 */
export type ScreeningDocument = ReturnType<typeof screeningDocument> & {
  /**
   * True if the screening was stored before its subject. If the subject's `opened_by` names another
   * screening, this one never took effect.
   */
  readonly opens?: true;
};

/**
 * The encrypted data. The whole request is stored, so that it can be screened again when a list
 * changes. The parts of hits that quote the party are encrypted too. So is the response of the
 * wallet risk provider, because its references can contain the address.
 */
type Sealed = {
  readonly request: string;
  readonly hits: readonly Pick<ScreeningHit, SealedOfHit>[];
  readonly assessment?: NonNullable<Screening["assessment"]>;
};

type SealedOfHit = "parts" | "partyLeftOver" | "entryLeftOver" | "reasons";

type FoundHit = Omit<Screening["hits"][number], SealedOfHit>;

const sealContext = (merchantId: string, id: string) => `${merchantId}|${id}|screening`;

/** Encrypts the text of a screening. */
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
