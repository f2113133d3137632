import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertNew } from "../deliveries/insert.ts";
import { publishedTypes, type WebhookEvent } from "./rules/event.ts";

/**
 * The type of the transaction with this id, taken from its first event. The document never expires,
 * because signatures don't expire.
 */
type TypeDocument = { readonly _id: string; readonly transaction_type: string };

export type TransactionTypes = ReturnType<typeof openTransactionTypes>;

/**
 * Stores one transaction type for each id of another system. `X-SERVICE-Signature` doesn't cover
 * the type. So the signature of a refund would also be valid for a payment session with the same id
 * and status. Ids of the platform's own records need no check, because their prefix shows the kind
 * of record.
 */
export function openTransactionTypes({ db }: Database) {
  const types = db.collection<TypeDocument>("transaction_types");

  return {
    /** Stores the types of new ids. Returns the events whose id is stored with another type. */
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

export const conflictProblem = "transaction_id: already belongs to another transaction_type";
