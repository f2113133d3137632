import { createHash } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { Verdict as VerdictCode } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import { Binary, type Collection } from "mongodb";
import type { ImportRef } from "../lists/rules/version.ts";
import type { ScreeningRequest } from "../screening/request.ts";
import type { Screening, Subject } from "../screening/rules/screening.ts";
import { type ScreeningDocument, sealedText } from "../screening/store.ts";

const schemaVersion = 1;

/** The lists and configuration that a subject was last compared with. */
export type Compared = {
  /**
   * A stamp of the index and the keyring. If it equals the current stamp, no comparison is needed.
   */
  readonly stamp: string;
  /** The `keyring` of `BlockingHashes`. */
  readonly keyring: string;
  readonly configuration_version: string;
  /** The revision of the matcher's configuration. A higher one is newer. */
  readonly configuration_revision: number;
  readonly lists: readonly { readonly list: string; readonly import_id: string }[];
};

/**
 * The collection `subjects`: the monitored records with their last screening. The request is
 * encrypted. Ids, the verdict and the entries of hits are not.
 */
export type SubjectDocument = Compared & {
  readonly _id: string;
  readonly schema_version: number;
  readonly merchant_id: string;
  readonly record_id: string;
  /**
   * Increases with each full comparison. A write fails if the stored revision has changed since the
   * read.
   */
  readonly revision: number;
  readonly verdict: Verdict;
  readonly screening_id: string;
  /**
   * The time of the screening. It increases with each revision, even if the clocks of processes
   * differ.
   */
  readonly screened_at: Date;
  /** The time of the last full comparison, with or without a different result. */
  readonly compared_at: Date;
  /** A digest of the result. If a new screening has the same digest, it found nothing new. */
  readonly found: string;
  /**
   * The entries of the subject's hits as `list:uid`. Includes confirmed true matches that the
   * matcher no longer finds.
   */
  readonly entries: readonly string[];
  readonly keys: readonly number[];
  /** JSON of the `ScreeningRequest`, encrypted. */
  readonly sealed: string;
  /** The id of the subject's first screening, if it was stored before this document. */
  readonly opened_by?: string;
  /**
   * The verdict that a sandbox merchant set for its own record. It adds a hit to the lists' hits.
   */
  readonly listed?: Exclude<Verdict, "clear">;
  /** The screening of this revision. Removed after it was stored and its alerts were raised. */
  readonly recording?: ScreeningDocument;
  /** Events that the bus has not confirmed yet. */
  readonly outbox?: readonly PendingEvent[];
};

/** The subject's fields after one screening. */
export type SubjectState = Omit<
  SubjectDocument,
  "outbox" | "recording" | "listed" | "opened_by"
> & {
  readonly recording: ScreeningDocument;
};

/** Returns the subject's document id. Ids contain no space, so the two parts stay distinct. */
export function subjectId({ merchantId, recordId }: Subject): string {
  return `${merchantId} ${recordId}`;
}

export function subjectOf(document: SubjectDocument): Subject {
  return { merchantId: document.merchant_id, recordId: document.record_id };
}

/** The fields that are the same in all documents of a subject. */
export function subjectFields(subject: Subject) {
  return {
    _id: subjectId(subject),
    schema_version: schemaVersion,
    merchant_id: subject.merchantId,
    record_id: subject.recordId,
  };
}

const sealContext = ({ merchantId, recordId }: Subject) => `${merchantId}|${recordId}|subject`;

export function sealRequest(request: ScreeningRequest, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(request), sealContext(request.subject));
}

export const sealedSubjects: SealedPlace = {
  collection: "subjects",
  reseal: (document, sealer) => {
    const subject = document as unknown as SubjectDocument;
    const { sealed: text, recording } = subject;
    const own = { path: "sealed", text, context: sealContext(subjectOf(subject)) };
    const kept = recording === undefined ? [] : [sealedText(recording, "recording.sealed")];
    return resealTexts([own, ...kept], sealer);
  },
};

/** The request of the subject's last screening. */
export function openRequest(document: SubjectDocument, sealer: Sealer): ScreeningRequest {
  const opened = sealer.open(document.sealed, sealContext(subjectOf(document)));
  return JSON.parse(opened) as ScreeningRequest;
}

/** Matches subjects that were not compared with a newer configuration. */
export function notAheadOf(revision: number) {
  return { configuration_revision: { $lte: revision } };
}

/** The imports that a subject was compared with. */
export function importRefs({ lists }: Compared): ImportRef[] {
  return lists.map(({ list, import_id: importId }) => ({ list, importId }));
}

/** The name of an entry in `entries`. */
export function entryName(list: string, uid: string): string {
  return `${list}:${uid}`;
}

/**
 * Returns a digest of a screening's result: the lists' public data and operators' decisions. If
 * there is a hit, the digest includes the matcher's configuration, because operators decide by
 * scores.
 */
export function foundOf(
  { verdict, hits }: Pick<Screening, "verdict" | "hits">,
  standing: readonly string[],
  configurationVersion: string,
): string {
  const found = hits
    .map((hit) =>
      JSON.stringify([
        ...[hit.subjectIndex, hit.list, hit.entryUid, hit.entryFingerprint],
        ...[hit.verdict, hit.dismissed],
      ]),
    )
    .sort();
  const configuration = hits.length === 0 ? "" : configurationVersion;
  return createHash("sha256")
    .update(JSON.stringify([verdict, configuration, found, ...[...standing].sort()]))
    .digest("hex");
}

/** Matches subjects with a pending event. */
export const hasPending = { "outbox.at": { $gt: new Date(0) } };

/** An event of a subject that the bus has not confirmed yet. */
export type PendingEvent = ReturnType<typeof screeningChanged>;

/**
 * Builds the event for a verdict that rescreening changed. A screening has at most one such event.
 */
export function screeningChanged(screening: Screening) {
  const { id: screeningId, subject, verdict, createdAt } = screening;
  const id = derivedId("event", screeningId);
  const message = create(ScreeningChangedSchema, {
    eventId: id,
    occurredAt: timestampFromDate(createdAt),
    subject,
    screeningId,
    verdict: enumValue(VerdictCode, verdict),
    screenedAt: timestampFromDate(createdAt),
  });
  const body = new Binary(toBinary(ScreeningChangedSchema, message));
  return { id, key: "screening.changed", at: createdAt, body };
}

/**
 * The outbox of all subjects. An event is removed from its document after the bus has confirmed it.
 */
export function subjectOutbox(subjects: Collection<SubjectDocument>): Outbox {
  return {
    due: async (limit) => {
      const found = await subjects
        .find(hasPending, { projection: { outbox: 1 } })
        .sort({ "outbox.at": 1 })
        .limit(limit)
        .toArray();
      return found.flatMap(({ outbox = [] }) =>
        outbox.map(({ id, key, body }) => ({ id, key, body: body.value() })),
      );
    },
    published: async (messages) => {
      const ids = messages.map(({ id }) => id);
      await subjects.updateMany(
        { ...hasPending, "outbox.id": { $in: ids } },
        { $pull: { outbox: { id: { $in: ids } } } },
      );
    },
  };
}
