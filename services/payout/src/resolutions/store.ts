import { auditKeyOf } from "@disburse/chassis/audit/trail.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { AuditRecord } from "../payouts/operators.ts";
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
  /** Entries that the audit trail does not have yet. */
  owed: (AuditRecord & { key: string })[];
  created_at: Date;
  updated_at: Date;
};

/** A resolution with the entries that the audit trail does not have yet. */
export type StoredResolution = Resolution & { readonly pending: readonly AuditRecord[] };

/** Where resolutions are stored. */
export type ResolutionStore = ReturnType<typeof openResolutionStore>;

/** Opens the resolutions; each change is one write, with its audit entry inside. */
export function openResolutionStore({ db }: Database) {
  const resolutions = db.collection<ResolutionDocument>("resolutions");
  const readOne = async (filter: { _id: string } | { operation_id: string }) => {
    const found = await resolutions.findOne(filter);
    return found === null ? undefined : toResolution(found);
  };
  return {
    read: (id: string) => readOne({ _id: id }),
    findByOperation: (operation: string) => readOne({ operation_id: operation }),
    /** Stores a new proposal; `false`: the operation or the payout has one already. */
    insert: (resolution: Resolution, pending: AuditRecord): Promise<boolean> =>
      insertOnce(resolutions, documentOf(resolution, pending)),
    /** Writes the next state, which is never entered again; `false`: a concurrent write won. */
    change: async (from: Resolution, to: Resolution, pending?: AuditRecord): Promise<boolean> => {
      const result = await resolutions.updateOne(
        { _id: from.id, "state.kind": from.state.kind },
        {
          $set: { state: to.state, updated_at: to.updatedAt },
          ...(isOpen(to) ? {} : { $unset: { open: "" } }),
          ...(pending && { $push: { owed: keyed(pending) } }),
        },
      );
      return result.modifiedCount === 1;
    },
    /** Removes an entry that the audit trail has. */
    recorded: async (id: string, record: AuditRecord): Promise<void> => {
      const key = auditKeyOf(record);
      await resolutions.updateOne({ _id: id }, { $pull: { owed: { key } } });
    },
    /** Resolutions that are open, or have pending audit entries. */
    unfinished: async (): Promise<StoredResolution[]> => {
      const [open, pending] = await Promise.all([
        resolutions.find({ open: true }).toArray(),
        resolutions.find({ "owed.at": { $gt: new Date(0) } }).toArray(),
      ]);
      const all = new Map([...pending, ...open].map((each) => [each._id, each]));
      return [...all.values()].map(toResolution);
    },
    /** The open resolution of each of these payouts that has one. */
    openOf: async (payoutIds: readonly string[]): Promise<Map<string, Resolution>> => {
      const ofThese = { open: true, payout_id: { $in: [...payoutIds] } } as const;
      const found = await resolutions.find(ofThese).toArray();
      return new Map(found.map((each) => [each.payout_id, toResolution(each)]));
    },
  };
}

function isOpen({ state }: Resolution): boolean {
  return state.kind === "proposed" || state.kind === "confirmed";
}

function keyed(record: AuditRecord): AuditRecord & { key: string } {
  return { ...record, key: auditKeyOf(record) };
}

function documentOf(resolution: Resolution, pending: AuditRecord): ResolutionDocument {
  const { id, payoutId, outcome, reason, exception, proposed, state, updatedAt } = resolution;
  return {
    _id: id,
    schema_version: 1,
    payout_id: payoutId,
    operation_id: proposed.operation,
    outcome,
    reason,
    doubt: exception,
    proposed,
    state,
    open: true,
    owed: [keyed(pending)],
    created_at: proposed.at,
    updated_at: updatedAt,
  };
}

function toResolution(document: ResolutionDocument): StoredResolution {
  const { outcome, reason, doubt, proposed, state, owed } = document;
  return {
    id: document._id,
    payoutId: document.payout_id,
    outcome,
    reason,
    exception: doubt,
    proposed,
    state,
    pending: owed.map(({ key: _key, ...record }) => record),
    updatedAt: document.updated_at,
  };
}
