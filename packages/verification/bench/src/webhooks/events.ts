import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";

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

/** The endpoints subscribe to this status. */
export const sessionStatus = "succeeded";
/** A webhook's body has this size. */
const bodyBytes = 1_024;
/** `{"transaction_type":"payment_session","transaction_id":"…","data":…}` without its values. */
const frameBytes = 66;

/** The event of a payment session of its own, so that no event waits for another. */
export function sessionMessage(name: EventName, merchantId: string): BusMessage {
  const id = sessionIdOf(name);
  const at = new Date();
  const data = {
    id,
    reference_id: `order-${id}`,
    merchant_id: merchantId,
    status: sessionStatus,
    failure_code: "",
    amount: 125.5,
    source_currency: "USDC_ETH",
    source_account: "0x52908400098527886E0F7030069857D2E4169EE7",
    payment_option_id: "opt_7",
    payment_option_code: "USDC_ETHEREUM",
    success_redirect_url: "https://shop.example/paid?note=",
    failure_redirect_url: "https://shop.example/failed",
    risk_score: "lowRisk",
    created_at: at,
    updated_at: at,
    expires_at: new Date(at.getTime() + 3_600_000),
  };
  const bytes = JSON.stringify(data).length + frameBytes + id.length;
  data.success_redirect_url += "x".repeat(Math.max(0, bodyBytes - bytes));
  const eventId = `evt_${name.run}_${name.number}`;
  const message = create(MerchantEventSchema, {
    eventId,
    merchantId,
    transactionType: "payment_session",
    transactionId: id,
    status: sessionStatus,
    sequence: 1n,
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(at),
  });
  return {
    id: eventId,
    key: "payment_session.updated",
    body: toBinary(MerchantEventSchema, message),
  };
}
