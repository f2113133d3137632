import { auditKeyOf } from "@disburse/chassis/audit/trail.ts";
import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { AuditRecord } from "../payouts/audit.ts";
import type { ExceptionKind } from "../payouts/rules/exception.ts";
import type { Outcome } from "../payouts/rules/progress.ts";
import type { OperatorAction, Resolution, ResolutionState } from "./rules/resolution.ts";

type ResolutionDocument = {
  _id: string;
  schema_version: number;
  payout_id: string;
  /** Of the proposal: a repeat of it finds the first one. */
  operation_id: string;
  outcome: Outcome;
  reason: string;
  doubt: ExceptionKind;
  proposed: OperatorAction;
  state: ResolutionState;
  /** While it is proposed or confirmed: a payout has one such at most. */
  open?: true;
  /** What the audit trail does not have yet. */
  owed: (AuditRecord & { key: string })[];
  created_at: Date;
  updated_at: Date;
};

/** A resolution with what the audit trail does not have of it yet. */
export type StoredResolution = Resolution & { readonly owed: readonly AuditRecord[] };

export type ResolutionStore = Awaited<ReturnType<typeof openResolutionStore>>;

/** Resolutions; each change is one write, with the audit entry that it owes inside. */
export async function openResolutionStore({ db }: Database) {
  const resolutions = db.collection<ResolutionDocument>("resolutions");
  await ensureIndexes(db, "resolutions", [
    { key: { operation_id: 1 }, name: "operation", unique: true },
    {
      key: { open: 1, payout_id: 1 },
      name: "open",
      unique: true,
      partialFilterExpression: { open: true },
    },
    { key: { "owed.at": 1 }, name: "owed", sparse: true },
  ]);
  const readOne = async (filter: { _id: string } | { operation_id: string }) => {
    const found = await resolutions.findOne(filter);
    return found === null ? undefined : toResolution(found);
  };
  return {
    read: (id: string) => readOne({ _id: id }),
    findByOperation: (operation: string) => readOne({ operation_id: operation }),
    /** Stores a new proposal; `false`: the operation or the payout has one already. */
    insert: async (resolution: Resolution, owed: AuditRecord): Promise<boolean> => {
      try {
        await resolutions.insertOne(documentOf(resolution, owed));
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },
    /** Writes the next state; `false`: somebody was faster. No state is ever come back to. */
    change: async (from: Resolution, to: Resolution, owed?: AuditRecord): Promise<boolean> => {
      const result = await resolutions.updateOne(
        { _id: from.id, "state.kind": from.state.kind },
        {
          $set: { state: to.state, updated_at: to.updatedAt },
          ...(isOpen(to) ? {} : { $unset: { open: "" } }),
          ...(owed && { $push: { owed: keyed(owed) } }),
        },
      );
      return result.modifiedCount === 1;
    },
    /** Notes that the audit trail has a record. */
    recorded: async (id: string, record: AuditRecord): Promise<void> => {
      const key = auditKeyOf(record);
      await resolutions.updateOne({ _id: id }, { $pull: { owed: { key } } });
    },
    /** What is not at its end, and what the audit trail does not have yet. */
    unfinished: async (): Promise<StoredResolution[]> => {
      const [open, owing] = await Promise.all([
        resolutions.find({ open: true }).toArray(),
        resolutions.find({ "owed.at": { $gt: new Date(0) } }).toArray(),
      ]);
      const all = new Map([...owing, ...open].map((each) => [each._id, each]));
      return [...all.values()].map(toResolution);
    },
    /** The open resolution of each of these payouts that has one. */
    openOf: async (payoutIds: readonly string[]): Promise<Map<string, string>> => {
      const found = await resolutions
        .find({ open: true, payout_id: { $in: [...payoutIds] } }, { projection: { payout_id: 1 } })
        .toArray();
      return new Map(found.map(({ _id, payout_id }) => [payout_id, _id]));
    },
  };
}

function isOpen({ state }: Resolution): boolean {
  return state.kind === "proposed" || state.kind === "confirmed";
}

function keyed(record: AuditRecord): AuditRecord & { key: string } {
  return { ...record, key: auditKeyOf(record) };
}

function documentOf(resolution: Resolution, owed: AuditRecord): ResolutionDocument {
  const { id, payoutId, outcome, reason, doubt, proposed, state, updatedAt } = resolution;
  return {
    _id: id,
    schema_version: 1,
    payout_id: payoutId,
    operation_id: proposed.operation,
    ...{ outcome, reason, doubt, proposed, state, open: true },
    owed: [keyed(owed)],
    created_at: proposed.at,
    updated_at: updatedAt,
  };
}

function toResolution(document: ResolutionDocument): StoredResolution {
  const { outcome, reason, doubt, proposed, state, owed } = document;
  return {
    id: document._id,
    payoutId: document.payout_id,
    ...{ outcome, reason, doubt, proposed, state },
    owed: owed.map(({ key: _key, ...record }) => record),
    updatedAt: document.updated_at,
  };
}
