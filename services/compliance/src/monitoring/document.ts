import { createHash } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { valueOfWord } from "@disburse/chassis/enum-words.ts";
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

/** What a subject was last compared with, and how it is found again when that changes. */
export type Compared = {
  /** Of the index and the keyring: equal to the present one, there is nothing to compare. */
  readonly stamp: string;
  /** See `BlockingHashes`. */
  readonly keyring: string;
  readonly configuration_version: string;
  /** The order of configurations. */
  readonly configuration_revision: number;
  readonly lists: readonly { readonly list: string; readonly import_id: string }[];
};

/**
 * `subjects`: who is monitored, as of their last screening. The request is sealed; in the clear are
 * ids, the verdict, and which list entries were hit.
 */
export type SubjectDocument = Compared & {
  readonly _id: string;
  readonly schema_version: number;
  readonly merchant_id: string;
  readonly record_id: string;
  /** One more with each whole comparison: a write applies to the revision that it read. */
  readonly revision: number;
  readonly verdict: Verdict;
  readonly screening_id: string;
  /** Later with each revision, whatever the clocks say. */
  readonly screened_at: Date;
  /** When it was last compared whole, with or without another result. */
  readonly compared_at: Date;
  /** A digest of what was found: equal when a screening found nothing new. */
  readonly found: string;
  /** `list:uid` of its hits, and of confirmed matches that stand without one. */
  readonly entries: readonly string[];
  /** Hashes of its blocking keys. */
  readonly keys: readonly number[];
  /** The `ScreeningRequest` as JSON. */
  readonly sealed: string;
  /** Its first screening, where that was stored before this document was inserted. */
  readonly opened_by?: string;
  /** Its merchant lists it in a sandbox: a hit of this verdict beside what the lists say. */
  readonly listed?: Exclude<Verdict, "clear">;
  /** The screening of this revision, until it is stored and its alerts are raised. */
  readonly recording?: ScreeningDocument;
  /** Events that the bus has not confirmed yet. */
  readonly outbox?: readonly PendingEvent[];
};

/** What one screening makes of a subject. */
export type SubjectState = Omit<
  SubjectDocument,
  "outbox" | "recording" | "listed" | "opened_by"
> & {
  readonly recording: ScreeningDocument;
};

/** The id of a subject's document; no id has a space in it. */
export function subjectId({ merchantId, recordId }: Subject): string {
  return `${merchantId} ${recordId}`;
}

/** Whom a document is about. */
export function subjectOf(document: SubjectDocument): Subject {
  return { merchantId: document.merchant_id, recordId: document.record_id };
}

/** What is the same in every document of a subject. */
export function subjectFields(subject: Subject) {
  return {
    _id: subjectId(subject),
    schema_version: schemaVersion,
    merchant_id: subject.merchantId,
    record_id: subject.recordId,
  };
}

const sealContext = ({ merchantId, recordId }: Subject) => `${merchantId}|${recordId}|subject`;

/** Seals a request for its subject's document. */
export function sealRequest(request: ScreeningRequest, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(request), sealContext(request.subject));
}

/** Where subjects are sealed. */
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

/** The request that a subject was last screened for. */
export function openRequest(document: SubjectDocument, sealer: Sealer): ScreeningRequest {
  const opened = sealer.open(document.sealed, sealContext(subjectOf(document)));
  return JSON.parse(opened) as ScreeningRequest;
}

/** A filter of those that were compared with nothing newer than a configuration. */
export function notAheadOf(revision: number) {
  return { configuration_revision: { $lte: revision } };
}

/** The imports that a subject was compared with. */
export function importRefs({ lists }: Compared): ImportRef[] {
  return lists.map(({ list, import_id: importId }) => ({ list, importId }));
}

/** The name of an entry among those that a subject hit. */
export function entryName(list: string, uid: string): string {
  return `${list}:${uid}`;
}

/**
 * A digest of what a screening found: of what the lists publish and people decided alone. With a
 * hit, the matcher's configuration is part of it: people decide about scores by it.
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

/** A filter of subjects with a pending event. */
export const hasPending = { "outbox.at": { $gt: new Date(0) } };

/** An event of a subject that the bus has not confirmed yet. */
export type PendingEvent = ReturnType<typeof screeningChanged>;

/** The event of a verdict that rescreening changed; one screening has one. */
export function screeningChanged(screening: Screening) {
  const { id: screeningId, subject, verdict, createdAt } = screening;
  const id = derivedId("event", screeningId);
  const message = create(ScreeningChangedSchema, {
    eventId: id,
    occurredAt: timestampFromDate(createdAt),
    subject,
    screeningId,
    verdict: valueOfWord(VerdictCode, verdict),
    screenedAt: timestampFromDate(createdAt),
  });
  const body = new Binary(toBinary(ScreeningChangedSchema, message));
  return { id, key: "screening.changed", at: createdAt, body };
}

/** The outbox of all subjects; an event leaves its document when the bus has confirmed it. */
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
