import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { EntryType } from "@disburse/name-matcher/entry.ts";
import type { Explanation } from "@disburse/name-matcher/explanation.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import type { WalletAssessment } from "../wallets/rules/assessment.ts";
import type { ScreeningHit } from "./rules/hit.ts";
import type { Screening, ScreeningKind, ScreeningTrigger } from "./rules/screening.ts";

const schemaVersion = 2;

/**
 * `screenings`: kept for ever. Who was screened, and the reasons, which quote names and dates, are
 * sealed; in the clear are ids, the verdict, and what the lists themselves publish.
 */
export type ScreeningDocument = {
  readonly _id: string;
  readonly schema_version: number;
  readonly kind: ScreeningKind;
  readonly trigger: ScreeningTrigger;
  readonly operation_id: string;
  readonly actor: StoredActor;
  readonly merchant_id: string;
  readonly record_id: string;
  readonly verdict: Verdict;
  readonly hits: readonly {
    readonly list: string;
    readonly list_version: string;
    readonly entry_uid: string;
    readonly entry_fingerprint: string;
    readonly entry_type: EntryType;
    readonly source: string;
    readonly programs: readonly string[];
    readonly subject_index: number;
    readonly matched_name: string;
    readonly score: number;
    readonly name_score: number;
    readonly verdict: Verdict;
    readonly alert_id: string;
    readonly dismissed: boolean;
  }[];
  readonly lists: readonly {
    readonly list: string;
    readonly version: string;
    readonly import_id: string;
    readonly entries: number;
    readonly checksum: string;
    readonly imported_at: Date;
  }[];
  readonly configuration_version: string;
  readonly created_at: Date;
  /** `Sealed` as JSON; see `sealing.ts` of the chassis. */
  readonly sealed: string;
};

/**
 * What was asked, whole, so that it can be screened again when a list changes; what each hit says
 * in the party's own words; and what a wallet risk provider said, whose references can hold the
 * address.
 */
type Sealed = {
  readonly request: string;
  readonly hits: readonly SealedHit[];
  readonly assessment?: Omit<WalletAssessment, "asOf"> & { readonly asOf: string };
};
type SealedHit = Explanation & { readonly reasons: ScreeningHit["reasons"] };

/**
 * A screening with what its document needs beside. `request` is canonical JSON of what was asked.
 */
export type NewScreening = {
  readonly screening: Screening;
  readonly operationId: string;
  readonly actor: StoredActor;
  readonly request: string;
};

function sealContext(merchantId: string, id: string): string {
  return `${merchantId}|${id}|screening`;
}

export function screeningDocument(made: NewScreening, sealer: Sealer): ScreeningDocument {
  const { id, kind, trigger, subject, verdict, hits, lists, createdAt } = made.screening;
  const sealed: Sealed = {
    request: made.request,
    hits: hits.map(sealedHit),
    ...sealedAssessment(made.screening),
  };
  return {
    _id: id,
    schema_version: schemaVersion,
    kind,
    trigger,
    operation_id: made.operationId,
    actor: made.actor,
    merchant_id: subject.merchantId,
    record_id: subject.recordId,
    verdict,
    hits: hits.map((hit) => ({
      list: hit.list,
      list_version: hit.listVersion,
      entry_uid: hit.entryUid,
      entry_fingerprint: hit.entryFingerprint,
      entry_type: hit.entryType,
      source: hit.source,
      programs: hit.programs,
      subject_index: hit.subjectIndex,
      matched_name: hit.matchedName,
      score: hit.score,
      name_score: hit.nameScore,
      verdict: hit.verdict,
      alert_id: hit.alertId,
      dismissed: hit.dismissed,
    })),
    lists: lists.map((each) => ({
      list: each.list,
      version: each.version,
      import_id: each.importId,
      entries: each.entries,
      checksum: each.checksum,
      imported_at: each.importedAt,
    })),
    configuration_version: made.screening.configurationVersion,
    created_at: createdAt,
    sealed: sealer.seal(JSON.stringify(sealed), sealContext(subject.merchantId, id)),
  };
}

function sealedHit({ parts, partyLeftOver, entryLeftOver, reasons }: ScreeningHit): SealedHit {
  return { parts, partyLeftOver, entryLeftOver, reasons };
}

function sealedAssessment({ assessment }: Screening): Pick<Sealed, "assessment"> {
  if (assessment === undefined) return {};
  return { assessment: { ...assessment, asOf: assessment.asOf.toISOString() } };
}

function openAssessment({ assessment }: Sealed): Pick<Screening, "assessment"> {
  if (assessment === undefined) return {};
  return { assessment: { ...assessment, asOf: new Date(assessment.asOf) } };
}

const unsealed: SealedHit = { parts: [], partyLeftOver: [], entryLeftOver: [], reasons: [] };

/** The screening of a document, and what was asked. */
export function openScreening(
  document: ScreeningDocument,
  sealer: Sealer,
): { readonly screening: Screening; readonly request: string } {
  const context = sealContext(document.merchant_id, document._id);
  const sealed = JSON.parse(sealer.open(document.sealed, context)) as Sealed;
  const screening: Screening = {
    id: document._id,
    kind: document.kind,
    trigger: document.trigger,
    subject: { merchantId: document.merchant_id, recordId: document.record_id },
    verdict: document.verdict,
    hits: document.hits.map((hit, at) => ({
      list: hit.list,
      listVersion: hit.list_version,
      entryUid: hit.entry_uid,
      entryFingerprint: hit.entry_fingerprint,
      entryType: hit.entry_type,
      source: hit.source,
      programs: hit.programs,
      subjectIndex: hit.subject_index,
      matchedName: hit.matched_name,
      score: hit.score,
      nameScore: hit.name_score,
      verdict: hit.verdict,
      alertId: hit.alert_id,
      dismissed: hit.dismissed,
      ...(sealed.hits[at] ?? unsealed),
    })),
    lists: document.lists.map((each) => ({
      list: each.list,
      version: each.version,
      importId: each.import_id,
      entries: each.entries,
      checksum: each.checksum,
      importedAt: each.imported_at,
    })),
    configurationVersion: document.configuration_version,
    ...openAssessment(sealed),
    createdAt: document.created_at,
  };
  return { screening, request: sealed.request };
}
