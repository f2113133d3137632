import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import type { AccountDocument, LowEvent } from "./documents.ts";
import type { LedgerEntry } from "./rules/account.ts";
import { atNewThreshold, type Fall, fallsIn } from "./rules/low-balance.ts";

type LowFields = Pick<AccountDocument, "is_low" | "low_events">;

/**
 * Returns the fields that a write of these entries sets for the merchant's threshold. Returns
 * `undefined` for an account without a threshold.
 */
export function lowFieldsAfter(
  document: AccountDocument,
  entries: readonly LedgerEntry[],
): LowFields | undefined {
  const { _id, low_balance_threshold: stored, is_low, available } = document;
  if (stored === undefined || entries.length === 0) return undefined;
  const threshold = fromDecimal128(stored);
  const watched = { threshold, wasLow: is_low === true };
  const { isLow, falls } = fallsIn(watched, fromDecimal128(available), entries);
  const events = falls.map((fall) => lowEvent(`${lowId(_id)}${fall.sequence}`, threshold, fall));
  return fields(document, isLow, events);
}

/** Returns the fields that the write of a new threshold sets. `at` is the time of the write. */
export function lowFieldsAt(document: AccountDocument, threshold: bigint, at: Date): LowFields {
  const { _id, sequence, revision, is_low } = document;
  const available = fromDecimal128(document.available);
  const { isLow, isFall } = atNewThreshold({ threshold, wasLow: is_low === true }, available);
  const fall = { sequence, available, at };
  const events = isFall ? [lowEvent(`${lowId(_id)}set${revision}`, threshold, fall)] : [];
  return fields(document, isLow, events);
}

const lowId = (accountId: string) => `${derivedId("event", accountId)}_low`;

/**
 * Maximum falls that wait for the broker. They keep an account's document small during an outage.
 * The oldest ones are left out: a newer fall also says that the balance is low, with a later amount.
 */
const waitingMax = 100;

function fields({ low_events = [] }: AccountDocument, isLow: boolean, events: LowEvent[]) {
  return {
    is_low: isLow,
    ...(events.length > 0 && { low_events: [...low_events, ...events].slice(-waitingMax) }),
  };
}

function lowEvent(id: string, threshold: bigint, { available, ...fall }: Fall): LowEvent {
  return { id, ...fall, available: toDecimal128(available), threshold: toDecimal128(threshold) };
}

/** Returns the message of an account's fall below its threshold. */
export function lowMessage(account: AccountDocument, event: LowEvent): BusMessage {
  const { _id: accountId, merchant_id: merchantId, currency, name = "" } = account;
  const { id, sequence, at } = event;
  const amount = (stored: LowEvent["available"]) =>
    exactNumber(formatAmount(fromDecimal128(stored), currency));
  const status = "low";
  const data = {
    id: accountId,
    status,
    merchant_id: merchantId,
    name,
    currency_code: currency,
    available: amount(event.available),
    low_balance_threshold: amount(event.threshold),
    fell_at: isoTime(at),
  };
  const message = create(OptInEventSchema, {
    eventId: id,
    merchantId,
    transactionType: "account.balance_low",
    transactionId: accountId,
    status,
    // An account without entries has the number 0, and the numbers of events begin with 1.
    sequence: BigInt(Math.max(sequence, 1)),
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(at),
  });
  return { id, key: "opt_in.account_balance_low", body: toBinary(OptInEventSchema, message) };
}
