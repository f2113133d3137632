import { create } from "@bufbuild/protobuf";
import { clientGuarantees } from "@disburse/chassis/mongo/database.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { SetPayoutControlsRequest } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import type { ApprovePayoutRequest } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { ClaimQuoteRequest, Quote } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { formatAmount, readAmount } from "@disburse/kernel/money.ts";
import { BSON, MongoClientBulkWriteError } from "mongodb";
import type { ChangeError, Sabotage } from "./network/database-link.ts";
import type { ChangeServed } from "./processes.ts";
import type { SeedOptions } from "./seed-run.ts";
import type { Guarantees } from "./store/memory-database.ts";
import { approverOf } from "./workload/callers.ts";

/** Removes a protection by omitting a field from the filter of one kind of write. */
export function without(
  collection: string,
  name: string,
  field: string,
): { readonly sabotage: Sabotage } {
  return {
    sabotage: (command) => {
      const { filter } = command;
      if (command.collection !== collection || command.name !== name) return filter;
      return Object.fromEntries(Object.entries(filter ?? {}).filter(([key]) => key !== field));
    },
  };
}

export function unguarded(collection: string): { readonly sabotage: Sabotage } {
  return {
    sabotage: ({ collection: written, filter, sent }) => {
      const [{ update } = {}] = sent as readonly { readonly update?: unknown }[];
      const stages = written === collection && Array.isArray(update) ? (update as Stage[]) : [];
      for (const { $replaceWith, $set = {} } of stages) {
        for (const next of [$replaceWith, ...Object.values($set)]) {
          if (next?.$cond !== undefined) next.$cond[0] = { $eq: [1, 1] };
        }
      }
      return filter;
    },
  };
}

type Stage = { readonly $replaceWith?: Guarded; readonly $set?: Readonly<Record<string, Guarded>> };
type Guarded = { readonly $cond?: unknown[] } | undefined;

/** Inserts each document with a different id, so that no process sees a duplicate key. */
export function neverTaken(collection: string): { readonly sabotage: Sabotage } {
  let inserts = 0;
  return {
    sabotage: (command) => {
      const { filter } = command;
      if (command.collection !== collection || command.name !== "insertOne") return filter;
      inserts += 1;
      return { _id: `${collection} ${inserts}` };
    },
  };
}

/**
 * Weakens the guarantees of the services' database clients. The loss that follows needs a failover
 * and a repeated request at the same time, so failovers are frequent.
 */
export function guaranteeing(less: Partial<Guarantees>): SeedOptions {
  return { guarantees: { ...clientGuarantees, ...less }, failoverFactor: 5 };
}

/** Believes a single reading that a record is absent. Only a failover makes one wrong. */
export function provesNothing(): SeedOptions {
  return { ...guaranteeing({}), provesNothing: true };
}

/**
 * Reports a batch with an unknown outcome as one that the database carried out and that changed
 * nothing: no document matched, and each inserted key was taken.
 */
export function batchesFail(): { readonly unknownOutcome: ChangeError } {
  return {
    unknownOutcome: (command, error) => {
      if (command.bulk !== "client" || command.name !== "bulkWrite") return error;
      const models = command.sent as readonly { readonly name: string }[];
      const taken = models.flatMap(({ name }, at): [number, object][] =>
        name === "insertOne" ? [[at, { code: 11_000, message: "duplicate key" }]] : [],
      );
      const failed = new MongoClientBulkWriteError({ message: "nothing was written" });
      return Object.assign(failed, { writeErrors: new Map(taken) });
    },
  };
}

/**
 * Treats every approval as that of a team member, so that the creator of a payout may approve it.
 */
export function approvedByAnyone(): { readonly served: ChangeServed } {
  return {
    served: (rpc) => {
      const { approvePayout: approve } = rpc as Record<string, Approve | undefined>;
      if (approve === undefined) return rpc;
      const approvePayout: Approve = (request) => {
        const actor = create(ActorSchema, approverOf(request.merchantId, 1));
        return approve(Object.assign(request, { mutation: { ...request.mutation, actor } }));
      };
      return { ...rpc, approvePayout };
    },
  };
}

/** Sets approval rules without windows, so that each payout is judged alone. */
export function withoutWindows(): { readonly served: ChangeServed } {
  return {
    served: (rpc) => {
      const { setPayoutControls: set } = rpc as Record<string, SetControls | undefined>;
      if (set === undefined) return rpc;
      const setPayoutControls: SetControls = (request) => {
        for (const amount of request.approval?.amounts ?? []) amount.windowSeconds = 0;
        return set(request);
      };
      return { ...rpc, setPayoutControls };
    },
  };
}

/** Repeats a refused operation under a new operation id. */
export function triedAgain(): { readonly served: ChangeServed } {
  const refused = new Map<string, number>();
  const forgetting =
    (call: Change): Change =>
    async (request) => {
      const operationId = request.mutation?.operationId ?? "";
      const tries = refused.get(operationId) ?? 0;
      const mutation = { ...request.mutation, operationId: `${operationId}:${tries}` };
      try {
        return await call({ ...request, mutation });
      } catch (error) {
        if (readRefusal(error) !== undefined) refused.set(operationId, tries + 1);
        throw error;
      }
    };
  return {
    served: (rpc) => {
      const { reverseCredit, sweepRailAccount } = rpc as Record<string, Change | undefined>;
      return {
        ...rpc,
        ...(reverseCredit && { reverseCredit: forgetting(reverseCredit) }),
        ...(sweepRailAccount && { sweepRailAccount: forgetting(sweepRailAccount) }),
      };
    },
  };
}

type Change = (request: { mutation?: { operationId?: string } }) => Promise<unknown>;

type SetControls = (request: SetPayoutControlsRequest) => unknown;

type Approve = (request: ApprovePayoutRequest) => unknown;

/**
 * Reports a quote as expired forever but still allows its claim. Its order may then be paid twice.
 */
export function endsNoQuote(): { readonly served: ChangeServed } {
  return {
    served: (rpc) => ("expireQuote" in rpc ? { ...rpc, expireQuote: async () => ({}) } : rpc),
  };
}

/**
 * Quotes the attempts of waiting payouts higher than it returns, so that no price seems to be above
 * a maximum.
 */
export function quotesTooLow(): { readonly served: ChangeServed } {
  return {
    served: (rpc) => {
      const { createQuote: create } = rpc as Record<string, CreateQuote | undefined>;
      if (create === undefined) return rpc;
      const createQuote: CreateQuote = async (request) => {
        const { sourceAmount, receivingAmount, mutation } = request;
        if (!attemptOfWait.test(mutation?.operationId ?? "")) return create(request);
        const higher = {
          sourceAmount: raised(sourceAmount),
          receivingAmount: raised(receivingAmount),
        };
        const { quote, ...answer } = await create(Object.assign(request, higher));
        const shown = sourceAmount === "" ? "0.01" : sourceAmount;
        return { ...answer, quote: quote && { ...quote, sourceAmount: shown } };
      };
      return { ...rpc, createQuote };
    },
  };
}

const attemptOfWait = /^po_\w+\.\d+$/;

type CreateQuote = (
  request: Parameters<Change>[0] & { sourceAmount: string; receivingAmount: string },
) => Promise<{ readonly quote?: Quote | undefined }>;

/** Adds a cent to an amount. Leaves out the amount that a quote doesn't fix. */
function raised(amount: string): string {
  return amount === "" ? "" : formatAmount(readAmount(amount, "USD") + 1n, "USD");
}

/** Forgets in claims that a payout waited. Each of its attempts is then a payout of its own. */
export function forgetsWaits(): { readonly served: ChangeServed } {
  return {
    served: (rpc) => {
      const { claimQuote: claim } = rpc as Record<string, Claim | undefined>;
      if (claim === undefined) return rpc;
      const claimQuote: Claim = (request) => {
        const { waited, ...order } = BSON.deserialize(request.order, { promoteValues: false });
        return claim(waited ? Object.assign(request, { order: BSON.serialize(order) }) : request);
      };
      return { ...rpc, claimQuote };
    },
  };
}

type Claim = (request: ClaimQuoteRequest) => unknown;
