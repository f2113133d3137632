import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import type { Endpoint } from "./endpoints.ts";

/** The number of an event in its run. */
export type EventName = { readonly run: string; readonly number: number };

/** The id of an event's payment session. A run's name is letters and digits. */
export function sessionIdOf({ run, number }: EventName): string {
  return `ps_${run}_${number}`;
}

/** Reads an id that `sessionIdOf` made; `undefined` for any other. */
export function readSessionId(id: string): EventName | undefined {
  const [, run, number] = /^ps_([a-z0-9]+)_(\d+)$/.exec(id) ?? [];
  return run === undefined ? undefined : { run, number: Number(number) };
}

/** A webhook's body has this size. */
const bodyBytes = 1_024;
/** `{"transaction_type":"payment_session","transaction_id":"…","data":…}` without its values. */
const frameBytes = 66;

/** All fields of a payment session, padded to the body's size. */
function paymentSession(id: string, endpoint: Endpoint, at: Date): string {
  const time = at.toISOString();
  const data = {
    id,
    reference_id: `order-${id}`,
    merchant_id: endpoint.merchantId,
    status: endpoint.status,
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

/** The event of a payment session of its own, so that no event waits for another. */
export function sessionMessage(name: EventName, endpoint: Endpoint): BusMessage {
  const eventId = `evt_${name.run}_${name.number}`;
  const transactionId = sessionIdOf(name);
  const at = new Date();
  const message = create(MerchantEventSchema, {
    eventId,
    merchantId: endpoint.merchantId,
    transactionType: "payment_session",
    transactionId,
    status: endpoint.status,
    sequence: 1n,
    dataJson: paymentSession(transactionId, endpoint, at),
    occurredAt: timestampFromDate(at),
  });
  const body = toBinary(MerchantEventSchema, message);
  return { id: eventId, key: "payment_session.updated", body };
}
