import { setTimeout as pause } from "node:timers/promises";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { DeliveryDocument } from "../documents.ts";
import type { DeliveryStore } from "../store.ts";

/** So long ago that no pause moves it past the present. */
const ended = new Date(0);

/** How long the first attempt, or one in flight, is waited for. */
const waitMs = 2_000;
const lookEveryMs = 20;

/**
 * Makes a pending delivery due now, or ends its 24 hours, by one write of its stored times; a
 * worker does the rest. The 24 hours begin with the first attempt. Waits a moment for that, and
 * where it is being attempted.
 */
export async function advanceDelivery(
  { deliveries, clock }: { readonly deliveries: DeliveryStore; readonly clock: Clock },
  { merchantId, deliveryId }: { readonly merchantId: string; readonly deliveryId: string },
  to: "attempt" | "end",
): Promise<DeliveryDocument | Refused<"RECORD_NOT_FOUND" | "STATE_NOT_REACHABLE">> {
  const until = performance.now() + waitMs;
  for (;;) {
    const now = clock.now();
    const due = { due_at: now, next_attempt_at: now, held: false, updated_at: now };
    const waiting = { state: "pending", lease: null } as const;
    const isFrom = to === "end" ? { ...waiting, deadline: { $ne: null } } : waiting;
    const advanced = await deliveries.collection.findOneAndUpdate(
      { _id: deliveryId, merchant_id: merchantId, ...isFrom },
      { $set: to === "end" ? { ...due, deadline: ended } : due, $unset: { recheck_at: "" } },
      { returnDocument: "after" },
    );
    if (advanced !== null) return advanced;
    const found = await deliveries.find(merchantId, deliveryId);
    if (found === null) return refused("RECORD_NOT_FOUND");
    const isOver = found.state !== "pending" || performance.now() > until;
    if (isOver) return refused("STATE_NOT_REACHABLE");
    await pause(lookEveryMs);
  }
}
