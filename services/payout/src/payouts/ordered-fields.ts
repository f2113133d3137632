import type { OrderedAs } from "./rules/payout.ts";

/** What a payout was made of, as it is stored: one of the two, or none. */
type OrderedFields = { scheduled_payout_id?: string; batch_id?: string };

/** What a payout was made of, to be stored. */
export function orderedFields({ scheduledPayoutId, batchId }: OrderedAs): OrderedFields {
  return {
    ...(scheduledPayoutId !== undefined && { scheduled_payout_id: scheduledPayoutId }),
    ...(batchId !== undefined && { batch_id: batchId }),
  };
}

/** The same as the rules see it. */
export function orderedOf({ scheduled_payout_id, batch_id }: OrderedFields): OrderedAs {
  return {
    ...(scheduled_payout_id !== undefined && { scheduledPayoutId: scheduled_payout_id }),
    ...(batch_id !== undefined && { batchId: batch_id }),
  };
}
