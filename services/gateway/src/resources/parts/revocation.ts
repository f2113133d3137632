import {
  type RecordIds,
  RevocationSchema,
  RevokedOrders,
} from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import * as f from "../../openapi/fields.ts";
import * as q from "../../openapi/query.ts";

const records = (what: string, example: string) => {
  type Shown = Pick<RecordIds, "count" | "ids">;
  const counted = f.object<Shown>(what, {
    count: f.from("count", f.whole("Number of records.", 1)),
    ids: f.from("ids", f.listOf("At most 100 ids, oldest first.", f.text("Id.", example))),
  });
  return { ...counted, write: (value: Shown | undefined) => counted.write(value ?? none) };
};

const none = { count: 0n, ids: [] };

/** The result of a revocation or a removal (docs/decisions/0035-keys.md). */
export const revocation = f.record(
  RevocationSchema,
  "Revocation",
  "Unpaid orders and other records that the key or person created, with their treatment. A later call can be stricter than the first (`keep`, `hold`, `cancel`), never laxer.",
  {
    orders: f.word(RevokedOrders, "The strictest that was requested."),
    scheduled_payouts: records(
      "Scheduled payouts without a payout: with `hold` those that await approval, with `keep` those that go on, with `cancel` those that were cancelled.",
      "spo_01hqz0000000000000000000ab",
    ),
    batches: records("The same of batches with unpaid lines.", "bat_01hqz0000000000000000000ab"),
    waiting_payouts: records(
      "The same of payouts that wait for balance.",
      "po_01hqz0000000000000000000ab",
    ),
    keys: records(
      "API keys that it created, directly or through others: with `cancel` all, which are revoked; otherwise those that still work.",
      "a1B2c3D4",
    ),
    endpoints: records(
      "Webhook endpoints that it or these keys created: with `cancel` they are paused.",
      "whe_01hqz0000000000000000000ab",
    ),
    members: records(
      "People whom it or these keys invited and who are in your team: remove those whom you do not know.",
      "mem_01hqz0000000000000000000ab",
    ),
  },
);

/** The query with the choice for the orders of a key or person that loses access. */
export const ordersQuery = {
  orders: q.word(
    RevokedOrders,
    "Handling of the unpaid scheduled payouts and batches, and the payouts that wait for balance, that it created or approved. `hold`, the default: they await approval by another actor. `keep`: they are paid as ordered; use it for a rotation, once you have checked them. `cancel`: they are cancelled, the API keys that it created are revoked with their orders, and the webhook endpoints that these created are paused.",
  ),
};

/** The last part of the description of each route that can hold orders. */
export const heldText =
  "Held orders have `sub_status` or state `awaiting_approval`. An actor that doesn't count as one actor with their creator must approve or reject them (Approve scheduled payout, Approve batch, Approve payout). The events `scheduled_payout.approval_required`, `batch.approval_required` and `payout.approval_required` report them. If no one decides within your approval time (24 hours by default) after their time, they fail with `APPROVAL_EXPIRED`. Existing payouts continue unless you cancel them. `SERVICE_UNAVAILABLE`: the access has ended, and its orders are handled automatically; repeat the request to read them.";
