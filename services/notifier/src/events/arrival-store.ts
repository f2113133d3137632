import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { DeliveryDocument } from "../deliveries/documents.ts";
import type { EventDocument } from "./documents.ts";

export type ArrivalStore = ReturnType<typeof openArrivalStore>;

/** Events as they arrive, which nearly all do once. */
export function openArrivalStore({ bulkInsert }: Pick<Database, "bulkInsert">) {
  return {
    /**
     * Stores events and then their first deliveries in one write. Answers false when one of them
     * was there already: what comes after it is not stored then.
     */
    insert: (
      events: readonly EventDocument[],
      deliveries: readonly DeliveryDocument[],
    ): Promise<boolean> =>
      bulkInsert([
        { collection: "events", documents: events },
        { collection: "deliveries", documents: deliveries },
      ]),
  };
}
