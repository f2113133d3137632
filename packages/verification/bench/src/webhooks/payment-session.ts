import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { eventIdOf } from "./event-id.ts";
import type { Hook } from "./hook.ts";

/** A webhook's body has this size. */
const bodyBytes = 1_024;
/** `{"transaction_type":"payment_session","transaction_id":"…","data":…}` without its values. */
const frameBytes = 66;

/** Every field that the service interface gives a payment session, padded to the body's size. */
export function paymentSession(id: string, hook: Hook, at: Date): string {
  const time = at.toISOString();
  const data = {
    id,
    reference_id: `order-${id}`,
    merchant_id: hook.merchantId,
    status: hook.status,
    failure_code: "",
    amount: 125.5,
    source_currency: "USDC_ETH",
    source_account: "0x52908400098527886E0F7030069857D2E4169EE7",
    payment_option_id: "opt_7",
    payment_option_code: "USDC_ETHEREUM",
    success_redirect_url: "https://shop.example/paid?note=",
    failure_redirect_url: "https://shop.example/failed",
    risk_score: "lowRisk",
    created_at: time,
    updated_at: time,
    expires_at: new Date(at.getTime() + 3_600_000).toISOString(),
  };
  const bytes = JSON.stringify(data).length + frameBytes + id.length;
  data.success_redirect_url += "x".repeat(Math.max(0, bodyBytes - bytes));
  return JSON.stringify(data);
}

/** The event of a payment session of its own: nothing waits for it, and it for nothing. */
export function sessionMessage(run: string, number: number, hook: Hook): BusMessage {
  const eventId = eventIdOf({ run, number, hook: hook.at });
  const transactionId = `ps_${run}_${number}`;
  const at = new Date();
  const message = create(MerchantEventSchema, {
    eventId,
    merchantId: hook.merchantId,
    transactionType: "payment_session",
    transactionId,
    status: hook.status,
    sequence: 1n,
    dataJson: paymentSession(transactionId, hook, at),
    occurredAt: timestampFromDate(at),
  });
  const body = toBinary(MerchantEventSchema, message);
  return { id: eventId, key: "payment_session.updated", body };
}
