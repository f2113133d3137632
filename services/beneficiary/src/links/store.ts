import { createHash, randomBytes } from "node:crypto";
import {
  resealTexts,
  type SealedPlace,
  type SealedText,
} from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { findKept, insertWithin } from "@disburse/chassis/mongo/bound.ts";
import { findCountedPage, type PageRequest } from "@disburse/chassis/paging/page.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection, Db, Filter } from "mongodb";
import type { Fields } from "../records/rules/private-fields.ts";
import type { LinkState } from "./rules/link.ts";

const schemaVersion = 1;
const collection = "beneficiary_links";

type LinkDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  operation_id: string;
  actor: StoredActor;
  /** SHA-256 of the token. The token itself is not stored. */
  token_hash: string;
  /** The merchant's choices for the form, encrypted because they may name a person. */
  sealed_fields: string;
  state: LinkState;
  /** The submitted details, encrypted. Present only in state `submitted`. */
  submission?: string;
  /** Time at which the sweep retries a submitted link that has no beneficiary yet. */
  due_at?: Date;
  /** A used link has either a beneficiary or a failure code. */
  beneficiary_id?: string;
  failure_code?: string;
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
};

type Links = Collection<LinkDocument>;

/** The body of a beneficiary as submitted. */
export type Submission = { readonly kind: "crypto" | "fiat"; readonly body: Fields };

/** A link with its fields decrypted. */
export type Link = {
  readonly id: string;
  readonly merchantId: string;
  readonly state: LinkState;
  readonly fields: Fields;
  readonly submission: Submission | undefined;
  readonly beneficiaryId: string;
  readonly failureCode: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type LinkOutcome = { readonly beneficiary_id: string } | { readonly failure_code: string };

export type LinkStore = ReturnType<typeof openLinks>;

/** Returns a link's secret: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/**
 * The delay before the sweep takes a submission. By then, the process that accepted it has finished
 * or crashed.
 */
const completedWithinMs = 15_000;
/** Maximum links that one run of the sweep completes. */
const sweepMax = 20;

/** Every query of this collection uses an index. */
export function openLinks(db: Db, sealer: Sealer) {
  const links = db.collection<LinkDocument>(collection);
  const toLink = (document: LinkDocument) => linkOf(document, sealer);
  const find = async (filter: Filter<LinkDocument>): Promise<Link | undefined> => {
    const found = await links.findOne(filter);
    return found === null ? undefined : toLink(found);
  };
  return {
    insert: inserter(links, sealer),
    read: (merchantId: string, id: string) => find({ _id: id, merchant_id: merchantId }),
    readByToken: (token: string) => find({ token_hash: hashOf(token) }),
    list: async (merchantId: string, request: PageRequest) => {
      const own = { merchant_id: merchantId };
      const { shown, ...rest } = await findCountedPage(links, own, request);
      return { links: shown.map(toLink), ...rest };
    },
    submit: submitter(links, sealer),
    /**
     * Records the outcome of a submitted link and deletes the details. A repeat changes nothing.
     */
    finish: async ({ id }: Link, outcome: LinkOutcome): Promise<void> => {
      await links.updateOne(
        { _id: id, state: "submitted" },
        {
          $set: { state: "used", ...outcome },
          $unset: { submission: "", due_at: "" },
          $currentDate: { updated_at: true },
        },
      );
    },
    /** Closes an open link to submissions. */
    revoke: async (merchantId: string, id: string): Promise<Link | undefined> => {
      await links.updateOne(
        {
          _id: id,
          merchant_id: merchantId,
          state: "open",
          $expr: { $lt: ["$$NOW", "$expires_at"] },
        },
        { $set: { state: "revoked" }, $currentDate: { updated_at: true } },
      );
      return find({ _id: id, merchant_id: merchantId });
    },
    /** Returns submitted links that are due, and schedules each for a retry. */
    takeDue: async (now: Date): Promise<Link[]> => (await takeDue(links, now)).map(toLink),
  };
}

/**
 * Stores a link. Repeating the operation gives a still open link a new token. Refuses if the
 * merchant already has `openMax` open links.
 */
function inserter(links: Links, sealer: Sealer) {
  return async (
    link: Pick<Link, "id" | "merchantId" | "fields" | "expiresAt" | "createdAt">,
    token: string,
    { operationId, actor }: Change,
    openMax: number,
  ): Promise<{ readonly link: Link; readonly token: string } | Refused<"INVALID_REQUEST">> => {
    const { id, merchantId, createdAt } = link;
    const document: LinkDocument = {
      _id: id,
      schema_version: schemaVersion,
      merchant_id: merchantId,
      operation_id: operationId,
      actor,
      token_hash: hashOf(token),
      state: "open",
      sealed_fields: sealer.seal(JSON.stringify(link.fields), fieldsPlace({ _id: id })),
      expires_at: link.expiresAt,
      created_at: createdAt,
      updated_at: createdAt,
    };
    const operation = { merchant_id: merchantId, operation_id: operationId };
    const found = await findKept(links, operation);
    if (found === null) {
      const open = { merchant_id: merchantId, state: "open" } as const;
      const of = { ...open, expires_at: { $gt: createdAt } };
      const inserted = await insertWithin(links, document, { of, max: openMax });
      if (inserted === "inserted") return { link: linkOf(document, sealer), token };
    }
    const stored = found ?? (await findKept(links, operation));
    if (stored === null) {
      return refused("INVALID_REQUEST", `There can be at most ${openMax} open links.`);
    }
    const renewed = { _id: stored._id, state: "open" } as const;
    const set = { $set: { token_hash: hashOf(token) } };
    const { matchedCount } = await links.updateOne(renewed, set);
    return { link: linkOf(stored, sealer), token: matchedCount === 1 ? token : "" };
  };
}

/**
 * Stores the details once, if the link is open by the database's clock; otherwise returns `false`.
 */
function submitter(links: Links, sealer: Sealer) {
  return async ({ id }: Link, token: string, submission: Submission): Promise<boolean> => {
    const sealed = sealer.seal(JSON.stringify(submission), submissionPlace({ _id: id }));
    const submitted = {
      state: { $literal: "submitted" },
      submission: { $literal: sealed },
      due_at: { $add: ["$$NOW", completedWithinMs] },
      updated_at: "$$NOW",
    };
    const own = { _id: id, state: "open", token_hash: hashOf(token) } as const;
    const inTime = { $expr: { $lt: ["$$NOW", "$expires_at"] } };
    const { matchedCount } = await links.updateOne({ ...own, ...inTime }, [{ $set: submitted }]);
    return matchedCount === 1;
  };
}

async function takeDue(links: Links, now: Date): Promise<LinkDocument[]> {
  const due = await links
    .find({ due_at: { $lte: now } })
    .limit(sweepMax)
    .toArray();
  const ids = due.map(({ _id }) => _id);
  const later = { due_at: new Date(now.getTime() + completedWithinMs) };
  if (ids.length > 0) {
    await links.updateMany({ _id: { $in: ids }, state: "submitted" }, { $set: later });
  }
  return due;
}

type Named = Pick<LinkDocument, "_id">;
const fieldsPlace = ({ _id }: Named) => `${_id}|link`;
const submissionPlace = ({ _id }: Named) => `${_id}|submission`;

function linkOf(document: LinkDocument, sealer: Sealer): Link {
  const { sealed_fields, submission } = document;
  return {
    id: document._id,
    merchantId: document.merchant_id,
    state: document.state,
    fields: JSON.parse(sealer.open(sealed_fields, fieldsPlace(document))) as Fields,
    submission:
      submission === undefined
        ? undefined
        : (JSON.parse(sealer.open(submission, submissionPlace(document))) as Submission),
    beneficiaryId: document.beneficiary_id ?? "",
    failureCode: document.failure_code ?? "",
    expiresAt: document.expires_at,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}

export const sealedLinks: SealedPlace = {
  collection,
  reseal: (document, sealer) => {
    const link = document as unknown as LinkDocument;
    const { sealed_fields, submission } = link;
    const fields = { path: "sealed_fields", text: sealed_fields, context: fieldsPlace(link) };
    const sent: SealedText[] =
      submission === undefined
        ? []
        : [{ path: "submission", text: submission, context: submissionPlace(link) }];
    return resealTexts([fields, ...sent], sealer);
  },
};
