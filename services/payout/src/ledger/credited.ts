import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Bus, BusMessage } from "@disburse/chassis/bus/bus.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import {
  type AccountDocument,
  type LedgerCollections,
  type LedgerDocument,
  toLedgerEntry,
} from "./documents.ts";

/** Publishes an account's credits, which are in the ledger; a repeat has the same ids. */
export async function publishCredits(
  { accounts, entries }: LedgerCollections,
  { _id, credited = [] }: AccountDocument,
  bus: Pick<Bus, "publish">,
): Promise<void> {
  if (credited.length === 0) return;
  const found = await entries.find({ _id: { $in: credited } }).toArray();
  await bus.publish(found.map(creditedMessage));
  const published = { $pull: { credited: { $in: credited } }, $inc: { revision: 1 } };
  await accounts.updateOne({ _id }, published);
}

/** The event of a credit, as its merchant's endpoints get it: one of its account's. */
function creditedMessage(document: LedgerDocument): BusMessage {
  const { key, accountId, merchantId, currency, sequence, note, createdAt, ...entry } =
    toLedgerEntry(document);
  const amount = (minor: bigint) => exactNumber(formatAmount(minor, currency));
  const status = "credited";
  const data = {
    id: accountId,
    status,
    merchant_id: merchantId,
    entry_id: key,
    currency_code: currency,
    amount: amount(entry.amount),
    available: amount(entry.available),
    held: amount(entry.held),
    note,
    created_at: isoTime(createdAt),
  };
  const id = eventId(accountId, sequence);
  const event = create(OptInEventSchema, {
    eventId: id,
    merchantId,
    transactionType: "account.credited",
    transactionId: accountId,
    status,
    sequence: BigInt(sequence),
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(createdAt),
  });
  return { id, key: "opt_in.account_credited", body: toBinary(OptInEventSchema, event) };
}
