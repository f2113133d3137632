import { rootOfActor } from "@disburse/kernel/actor.ts";
import type { Collection, Db, Filter } from "mongodb";
import { resealTexts, type SealedPlace } from "../crypto/resealing.ts";
import type { Sealer } from "../crypto/sealing.ts";
import { findKept, insertWithin } from "../mongo/bound.ts";
import { findCountedPage, type PageRequest } from "../paging/page.ts";
import type { Role } from "../principal.ts";
import {
  type Acting,
  type ActingPerson,
  merchantKinds,
  type Proposal,
  type ProposalState,
  type Proposer,
} from "./proposal.ts";

/** A stored proposal; never removed. */
type ProposalDocument = {
  _id: string;
  schema_version: number;
  /** Each write requires the revision that was read, and sets a new one. */
  revision: string;
  /** Format: `<RPC> <merchant id> <operation id>`. A request has at most one proposal. */
  key: string;
  rpc: string;
  merchant_id: string;
  operation_id: string;
  operation_content: string;
  /** "" if the request names no subject. */
  subject: string;
  digest: string;
  /** The request as base64. Services that encrypt data encrypt this field, `before` and `after`. */
  request: string;
  before: string;
  after: string;
  reasons: string[];
  approvers: Role[];
  proposed_kind: Proposer["kind"];
  proposed_by: string;
  /** The root of a merchant's key or member; otherwise the same as `proposed_by`. */
  proposed_root: string;
  proposed_roles: Role[];
  state: ProposalState;
  decided: { kind: Proposer["kind"]; by: string; operation_id: string; at: Date } | null;
  outcome: string;
  created_at: Date;
  expires_at: Date;
  updated_at: Date;
  /** The time of the next sweep; absent once nothing is left to do. */
  due_at?: Date;
  /** The end of the lease of an approved request's run, by the database's clock. */
  leased_until?: Date;
};

/**
 * The lease of a running request. After a crash, another process runs the request when the lease
 * has ended. A run that takes longer is repeated, which its operation id makes harmless.
 */
export const leaseMs = 30_000;

/** A proposal with its revision, which a change must match. */
export type StoredProposal = Proposal & { readonly revision: string };

type Seal = (text: string, context: string) => string;
type Seals = Pick<Sealer, "seal" | "open">;

/** Fields of a proposal that may have personal data. */
const sealedFields = ["request", "before", "after"] as const;

const sealContext = (id: string, field: (typeof sealedFields)[number]) => `${id}|${field}`;

/** The encrypted texts of proposals, for services that encrypt data. */
export const sealedProposals: SealedPlace = {
  collection: "proposals",
  reseal: (document, sealer) => {
    const { _id: id } = document;
    const texts = sealedFields.map((path) => ({
      path,
      text: document[path],
      context: sealContext(id, path),
    }));
    return resealTexts(texts, sealer);
  },
};

export type ProposalStore = ReturnType<typeof openProposals>;

const sweptMax = 100;

/** Returns the key of a request. A request has at most one proposal. */
export function proposalKey({
  rpc,
  merchantId,
  operationId,
}: Pick<Proposal, "rpc" | "merchantId" | "operationId">): string {
  return `${rpc} ${merchantId} ${operationId}`;
}

/**
 * Opens the collection `proposals` of a service's database. A sealer encrypts requests and
 * differences, which may have personal data.
 */
export function openProposals({
  db,
  sealer,
}: {
  readonly db: Db;
  readonly sealer?: Seals | undefined;
}) {
  const seal: Seal = sealer?.seal ?? asItIs;
  const open: Seal = sealer?.open ?? asItIs;
  const documentOf = (proposal: Proposal) => proposalDocument(proposal, seal);
  const toProposal = (document: ProposalDocument) => storedProposal(document, open);
  const proposals: Collection<ProposalDocument> = db.collection("proposals");
  const find = async (filter: Filter<ProposalDocument>) => {
    const found = await proposals.findOne(filter);
    return found === null ? undefined : toProposal(found);
  };
  return {
    /**
     * Stores a proposal. Returns `exists` if the request already has one, and `full` if the
     * merchant has `max` open proposals. The merchant's own ones count for each RPC, and apart from
     * those of operators, so that it can't use up their bound.
     */
    insert: (proposal: Proposal, max: number) => {
      const { rpc, merchantId: merchant_id, proposed } = proposal;
      const counted = merchantKinds.has(proposed.kind)
        ? { rpc, proposed_kind: { $in: [...merchantKinds] } }
        : { proposed_kind: { $nin: [...merchantKinds] } };
      // The due time of an open proposal is its expiry time, so the index on `due_at` can be used.
      const of = { due_at: { $gt: proposed.at }, state: "open", merchant_id, ...counted } as const;
      return insertWithin(proposals, documentOf(proposal), { of, max });
    },
    read: (id: string) => find({ _id: id }),
    findByKey: async (key: string) => {
      const found = await findKept(proposals, { key });
      return found === null ? undefined : toProposal(found);
    },
    /**
     * Returns an RPC's proposals that have no merchant and whose operation ids have this prefix.
     */
    beginningWith: async (rpc: string, operationIds: string): Promise<StoredProposal[]> => {
      const first = proposalKey({ rpc, merchantId: "", operationId: operationIds });
      const found = proposals.find({ key: { $gte: first, $lt: `${first}\uffff` } });
      return (await found.toArray()).map(toProposal);
    },
    /**
     * Returns an RPC's open proposals and its approved ones that have not run, optionally of one
     * subject.
     */
    pendingOf: async (rpc: string, subject?: string): Promise<StoredProposal[]> => {
      const about = subject === undefined ? {} : { subject };
      // Proposals in both states have a due time, so the index on `due_at` can be used.
      const due = { $gte: atOnce };
      const found = proposals.find({ due_at: due, rpc, ...about });
      return (await found.toArray()).map(toProposal);
    },
    /** Writes a changed proposal unless another write came first. */
    change: async ({ revision }: StoredProposal, changed: Proposal): Promise<boolean> => {
      const after = documentOf(changed);
      const { matchedCount } = await proposals.replaceOne({ _id: after._id, revision }, after);
      return matchedCount === 1;
    },
    /**
     * Leases an approved proposal to the caller, so that only the caller runs its request. Returns
     * `undefined` if another run holds the lease, or if the proposal has ended.
     */
    lease: async (id: string): Promise<StoredProposal | undefined> => {
      const isFree = { $lte: [{ $ifNull: ["$leased_until", atOnce] }, "$$NOW"] };
      const revision = crypto.randomUUID();
      const found = await proposals.findOneAndUpdate(
        { _id: id, state: "approved", $expr: isFree },
        [{ $set: { leased_until: { $add: ["$$NOW", leaseMs] }, revision } }],
        { returnDocument: "after" },
      );
      return found === null ? undefined : toProposal(found);
    },
    /** Ends a lease whose run failed, so that the next sweep runs the request again. */
    release: async ({ id, revision }: StoredProposal): Promise<void> => {
      await proposals.updateOne({ _id: id, revision }, { $unset: { leased_until: "" } });
    },
    /**
     * Writes the outcome of an approved request. Requires no revision: if a run outlasts its lease
     * and the request runs again, the first outcome counts.
     */
    conclude: async (ended: Proposal): Promise<void> => {
      await proposals.replaceOne({ _id: ended.id, state: "approved" }, documentOf(ended));
    },
    /** Lists proposals that a person or a merchant may see, newest first. */
    list: async (person: Acting, filter: ProposalFilter, page: PageRequest) => {
      const wanted = listFilter(person, filter);
      const { shown, ...rest } = await findCountedPage(proposals, wanted, page);
      return { shown: shown.map(toProposal), ...rest };
    },
    /**
     * Returns approved proposals that have not run, and open ones that have expired. Oldest first.
     */
    due: async (now: Date): Promise<StoredProposal[]> => {
      const found = proposals
        .find({ due_at: { $lte: now } })
        .sort({ due_at: 1 })
        .limit(sweptMax);
      return (await found.toArray()).map(toProposal);
    },
  };
}

/** Filters the proposals that a person may see. */
export type ProposalFilter = {
  /** If absent, any state matches. */
  readonly state: ProposalState | undefined;
  /** If empty, any subject matches. */
  readonly subject: string;
  /** If set, only proposals match that this person can decide at this time. */
  readonly waitingAt: Date | undefined;
};

function listFilter(
  person: Acting,
  { state, subject, waitingAt }: ProposalFilter,
): Filter<ProposalDocument> {
  // Open proposals are due when they expire, so the index on `due_at` finds them.
  const dueAfter = waitingAt ?? (state === "open" ? new Date(0) : undefined);
  return {
    ...(state !== undefined && { state }),
    ...(subject !== "" && { subject }),
    ...visibleTo(person, waitingAt !== undefined),
    ...(waitingAt && { state: "open" }),
    ...(dueAfter && { due_at: { $gt: dueAfter } }),
  };
}

function visibleTo(person: Acting, isToDecide: boolean): Filter<ProposalDocument> {
  if (!("merchantId" in person)) return visibleToOperator(person, isToDecide);
  const { merchantId: merchant_id, actor } = person;
  const proposed_kind = { $in: [...merchantKinds] };
  const others = isToDecide && { proposed_root: { $ne: rootOfActor(actor) } };
  return { merchant_id, proposed_kind, ...others };
}

function visibleToOperator({ id, roles }: ActingPerson, isToDecide: boolean) {
  const decidable = { approvers: { $in: [...roles] } };
  // The ids of the same person may differ in letter case.
  const by = new RegExp(`^${RegExp.escape(id)}$`, "i");
  const own = { proposed_kind: "operator" as const, proposed_by: by };
  if (isToDecide) return { ...decidable, $nor: [own] };
  return roles.has("auditor") ? {} : { $or: [own, decidable] };
}

const asItIs = (text: string) => text;

function proposalDocument(proposal: Proposal, seal: Seal): ProposalDocument {
  const { id, rpc, proposed, decided, digest, state, outcome } = proposal;
  return {
    _id: id,
    schema_version: 1,
    revision: crypto.randomUUID(),
    key: proposalKey(proposal),
    rpc,
    merchant_id: proposal.merchantId,
    operation_id: proposal.operationId,
    operation_content: proposal.content,
    subject: proposal.subject,
    request: seal(Buffer.from(proposal.request).toString("base64"), sealContext(id, "request")),
    before: seal(proposal.before, sealContext(id, "before")),
    after: seal(proposal.after, sealContext(id, "after")),
    digest,
    state,
    outcome,
    reasons: [...proposal.reasons],
    approvers: [...proposal.approvers],
    proposed_kind: proposed.kind,
    proposed_by: proposed.by,
    proposed_root: proposed.root ?? proposed.by,
    proposed_roles: [...proposed.roles],
    decided: decided === undefined ? null : decidedDocument(decided),
    created_at: proposed.at,
    expires_at: proposal.expiresAt,
    updated_at: proposal.updatedAt,
    ...dueOf(proposal),
  };
}

/** An approved request is due at once, whatever the clock of the process that reads this shows. */
const atOnce = new Date(0);

function dueOf({ state, request, expiresAt }: Proposal): { due_at?: Date } {
  if (state === "open") return { due_at: expiresAt };
  if (state !== "approved") return {};
  // If the request is not stored, only its proposer can send it again, so the proposal is next due
  // when it expires.
  return { due_at: request.length === 0 ? expiresAt : atOnce };
}

function decidedDocument({ kind, by, operationId, at }: NonNullable<Proposal["decided"]>) {
  return { kind, by, operation_id: operationId, at };
}

function storedProposal(document: ProposalDocument, open: Seal): StoredProposal {
  const { _id: id, rpc, digest, state, outcome, reasons, approvers } = document;
  const { decided } = document;
  return {
    id,
    rpc,
    digest,
    state,
    outcome,
    reasons,
    approvers,
    before: open(document.before, sealContext(id, "before")),
    after: open(document.after, sealContext(id, "after")),
    revision: document.revision,
    merchantId: document.merchant_id,
    operationId: document.operation_id,
    content: document.operation_content,
    subject: document.subject,
    request: Buffer.from(open(document.request, sealContext(id, "request")), "base64"),
    proposed: {
      kind: document.proposed_kind,
      by: document.proposed_by,
      root: document.proposed_root,
      roles: document.proposed_roles,
      at: document.created_at,
    },
    ...(decided !== null && {
      decided: {
        kind: decided.kind,
        by: decided.by,
        operationId: decided.operation_id,
        at: decided.at,
      },
    }),
    expiresAt: document.expires_at,
    updatedAt: document.updated_at,
  };
}
