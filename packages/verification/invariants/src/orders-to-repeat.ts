import { BSON } from "mongodb";
import { batches, type Databases, readAll } from "./database-check.ts";
import type { PayoutOrder, Quote } from "./documents.ts";

/**
 * Finds the orders whose quote and payout don't agree after a database was restored: the quote is
 * claimed and its payout is missing, or the payout exists and its quote is open again. Executing
 * such an order again under its own operation id repairs it.
 */
export async function* ordersToRepeat(databases: Databases): AsyncGenerator<PayoutOrder> {
  for await (const quotes of batches(databases, "quotes")) {
    const ids = quotes.map(payoutIdOf);
    const payouts = await readAll(databases, "payouts", { _id: { $in: ids } });
    const orders = new Map(payouts.map(({ _id, order }) => [_id, order]));
    for (const quote of quotes) {
      const order = orders.get(payoutIdOf(quote));
      const isOwn = order?.quote_id === quote._id;
      if (quote.claim === undefined) {
        if (quote.state === "open" && order !== undefined && isOwn) yield order;
      } else if (order === undefined) {
        yield BSON.deserialize(quote.claim.order.buffer) as PayoutOrder;
      }
    }
  }
}

/** A payout's id is derived from its quote's id, or from its first quote's if it waited. */
function payoutIdOf({ _id, claim }: Quote): string {
  return claim?.payout_id ?? _id.replace(/^qt_/, "po_");
}

/** Returns the request of `PayoutService/ExecutePayout` in the JSON format of protobuf. */
export function executeRequest({ merchant_id, quote_id, allow_duplicate, details }: PayoutOrder) {
  const { metadata = [] } = details;
  return {
    merchantId: merchant_id,
    quoteId: quote_id,
    allowDuplicate: allow_duplicate,
    referenceId: details.reference_id,
    remittanceInformation: details.remittance_information,
    purposeCode: details.purpose_code,
    metadata: Object.fromEntries(metadata.map(({ k, v }) => [k, v])),
  };
}

/** Returns the command of docs/operators/backup-and-restore.md that executes an order again. */
export function executeCommand(order: PayoutOrder): string {
  const body = JSON.stringify(executeRequest(order)).replaceAll("'", `'\\''`);
  const by = `--to payout --as "$OPERATOR" --reason "$REASON" --operation ${order.operation_id}`;
  return `rpc gateway payout.PayoutService/ExecutePayout '${body}' ${by}`;
}
