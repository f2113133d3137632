import { createHash } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import { Binary, type Collection } from "mongodb";
import type { ImportRef } from "../lists/rules/version.ts";
import type { ScreeningDocument } from "../screening/document.ts";
import { type Asked, verdictCodes } from "../screening/request.ts";
import type { Screening, Subject } from "../screening/rules/screening.ts";

const schemaVersion = 1;

/** An event of a subject that is not on the bus yet. */
export type OwedEvent = {
  readonly id: string;
  readonly key: string;
  readonly at: Date;
  readonly body: Binary;
};

/** With what a subject was last compared, and by what it is found when that changes. */
export type Compared = {
  /** Of the index and the keyring: equal to the present one, there is nothing to compare. */
  readonly stamp: string;
  /** See `ReverseHashes`. */
  readonly keyring: string;
  readonly configuration_version: string;
  /** The order of these; absent in documents that were written before there was one: the oldest. */
  readonly configuration_revision?: number;
  readonly lists: readonly { readonly list: string; readonly import_id: string }[];
};

/**
 * `subjects`: who is monitored, as of their last screening. Whom it is about is sealed; in the
 * clear are ids, the verdict, and which entries of the lists were hit.
 */
export type SubjectDocument = Compared & {
  readonly _id: string;
  readonly schema_version: number;
  readonly merchant_id: string;
  readonly record_id: string;
  /** One more with each whole comparison: a writer has to have read the one before. */
  readonly revision: number;
  readonly verdict: Verdict;
  readonly screening_id: string;
  /** Later with each revision, whatever the clocks say. */
  readonly screened_at: Date;
  /** When it was last compared whole, with or without another result. */
  readonly compared_at: Date;
  /** What was found, in short: equal when a screening found nothing new. */
  readonly found: string;
  /** `list:uid` of its hits, and of confirmed matches that stand without one. */
  readonly entries: readonly string[];
  /** Hashes of its reverse keys. */
  readonly keys: readonly number[];
  /** `Asked` as JSON. */
  readonly sealed: string;
  /** The screening of this revision, until it is kept and its alerts are raised. */
  readonly recording?: ScreeningDocument;
  /** Events that the bus has not taken yet. */
  readonly outbox?: readonly OwedEvent[];
};

/** What one screening makes of a subject. */
export type SubjectState = Omit<SubjectDocument, "outbox" | "recording"> & {
  readonly recording: ScreeningDocument;
};

/** No id has a space in it. */
export function subjectId({ merchantId, recordId }: Subject): string {
  return `${merchantId} ${recordId}`;
}

export function subjectOf(document: SubjectDocument): Subject {
  return { merchantId: document.merchant_id, recordId: document.record_id };
}

function sealContext({ merchantId, recordId }: Subject): string {
  return `${merchantId}|${recordId}|subject`;
}

export function sealAsked(asked: Asked, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(asked), sealContext(asked.subject));
}

export function openAsked(document: SubjectDocument, sealer: Sealer): Asked {
  return JSON.parse(sealer.open(document.sealed, sealContext(subjectOf(document)))) as Asked;
}

/** Where what a subject was compared with stands among the configurations of the matcher. */
export function configurationRevision({ configuration_revision: revision = 0 }: Compared): number {
  return revision;
}

/** A filter of those that were compared with nothing newer than a configuration. */
export function notAheadOf(revision: number) {
  return { configuration_revision: { $not: { $gt: revision } } };
}

/** Where the imports are that a subject was compared with. */
export function importRefs({ lists }: Compared): ImportRef[] {
  return lists.map(({ list, import_id: importId }) => ({ list, importId }));
}

/** How an entry is named among those that a subject hit. */
export function entryName(list: string, uid: string): string {
  return `${list}:${uid}`;
}

/**
 * What a screening found, in short; of what the lists publish and people decided alone. Where
 * something was hit, the matcher's numbers are part of it: people decide about scores by them.
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
  const numbers = hits.length === 0 ? "" : configurationVersion;
  return createHash("sha256")
    .update(JSON.stringify([verdict, numbers, found, ...[...standing].sort()]))
    .digest("hex");
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

const routingKey = "screening.changed";

/** Subjects that owe an event. */
export const owed = { "outbox.at": { $gt: new Date(0) } };

/** The event of a verdict that was found again; one screening has one. */
export function screeningChanged(screening: Screening): OwedEvent {
  const { id: screeningId, subject, verdict, createdAt } = screening;
  const id = derivedId("event", screeningId);
  const message = create(ScreeningChangedSchema, {
    eventId: id,
    occurredAt: timestampFromDate(createdAt),
    subject,
    verdict: verdictCodes[verdict],
    screeningId,
    screenedAt: timestampFromDate(createdAt),
  });
  const body = new Binary(toBinary(ScreeningChangedSchema, message));
  return { id, key: routingKey, at: createdAt, body };
}

/** The owed events of subjects; they leave their document when the bus has them. */
export function subjectOutbox(subjects: Collection<SubjectDocument>): Outbox {
  return {
    due: async (limit) => {
      const found = await subjects
        .find(owed, { projection: { outbox: 1 } })
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
        { ...owed, "outbox.id": { $in: ids } },
        { $pull: { outbox: { id: { $in: ids } } } },
      );
    },
  };
}
