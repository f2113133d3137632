import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import type { Endpoint } from "./endpoints.ts";

/** What an event's id says: the run it belongs to, its number in it, and to whom it goes. */
export type EventName = {
  readonly run: string;
  readonly number: number;
  readonly endpoint: number;
};

/** A run's name is letters and digits. */
export function eventIdOf({ run, number, endpoint }: EventName): string {
  return `evt_${run}_${number}_${endpoint}`;
}

/** Reads an id that `eventIdOf` made; `undefined` for any other. */
export function readEventId(id: string): EventName | undefined {
  const [, run, number, endpoint] = /^evt_([a-z0-9]+)_(\d+)_(\d+)$/.exec(id) ?? [];
  if (run === undefined) return undefined;
  return { run, number: Number(number), endpoint: Number(endpoint) };
}

/** A webhook's body has this size. */
const bodyBytes = 1_024;
/** `{"transaction_type":"payment_session","transaction_id":"…","data":…}` without its values. */
const frameBytes = 66;

/** Every field that the service interface gives a payment session, padded to the body's size. */
export function paymentSession(id: string, endpoint: Endpoint, at: Date): string {
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

/** The event of a payment session of its own: nothing waits for it, and it for nothing. */
export function sessionMessage(run: string, number: number, endpoint: Endpoint): BusMessage {
  const eventId = eventIdOf({ run, number, endpoint: endpoint.at });
  const transactionId = `ps_${run}_${number}`;
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
