import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertNew } from "../deliveries/insert.ts";
import { publishedTypes, type WebhookEvent } from "./rules/event.ts";

/** The type of the first event of a transaction. It never expires: a signature does not either. */
type TypeDocument = { readonly _id: string; readonly transaction_type: string };

/** The transaction types of ids that other systems choose. */
export type TransactionTypes = ReturnType<typeof openTransactionTypes>;

/**
 * Keeps one transaction type for each id of another system. `X-SERVICE-Signature` does not cover
 * the type, so an event of a refund signs for a payment session of the same id and status. Ids of
 * our own records have a prefix of their kind, and are neither looked up nor stored.
 */
export function openTransactionTypes({ db }: Database) {
  const types = db.collection<TypeDocument>("transaction_types");

  return {
    /** Stores the types of new ids; returns the events whose id has another type. */
    conflicts: async (events: readonly WebhookEvent[]): Promise<ReadonlySet<WebhookEvent>> => {
      const published = events.filter((each) => publishedTypes.includes(each.transactionType));
      const documents = published.map((each) => ({
        _id: typeKey(each),
        transaction_type: each.transactionType,
      }));
      const there = [...(await insertNew(types, documents))];
      const keys = there.flatMap((at) => documents[at]?._id ?? []);
      if (keys.length === 0) return new Set();
      const known = new Map<string, string>();
      for await (const { _id, transaction_type } of types.find({ _id: { $in: keys } })) {
        known.set(_id, transaction_type);
      }
      return new Set(
        published.filter((each) => {
          const type = known.get(typeKey(each));
          return type !== undefined && type !== each.transactionType;
        }),
      );
    },
  };
}

function typeKey({ merchantId, transactionId }: WebhookEvent): string {
  return JSON.stringify([merchantId, transactionId]);
}

/** The problem of a conflicting event's `transaction_id`. */
export const conflictProblem = "transaction_id: is the id of another transaction_type";
