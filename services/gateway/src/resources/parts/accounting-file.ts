import { timestampDate, timestampNow } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { LedgerStep } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  ListPayoutBookingsRequestSchema,
  type PayoutBooking,
} from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import * as f from "../../openapi/fields.ts";
import * as q from "../../openapi/query.ts";
import { type FileFormat, get } from "../../openapi/route.ts";
import { posted } from "../accounts.ts";
import { csvFile } from "./csv-file.ts";

/** Imports of accounting systems name them by place, so new ones are appended. */
const columns = [
  ...["booked_at", "booked_on", "type", "account_id", "account_name", "currency", "amount", "fees"],
  ...["exchange_rate", "receiving_currency", "receiving_amount", "payout_id", "reference_id"],
  ...["transaction_reference", "transfer_method", "beneficiary_id", "beneficiary_name"],
  ...["created_at", "created_by_id", "created_by_name", "batch_id", "scheduled_payout_id"],
  ...["reissue_of", "entry_id", "metadata"],
];

const file: FileFormat = {
  mediaType: "text/csv",
  name: "accounting.csv",
  description: "A header row, then one row for each booking (RFC 4180).",
  example: `${columns.join(",")}\r\n`,
};

const query = q.queryOf(ListPayoutBookingsRequestSchema, {
  from: q.bound("Booked at or after this time; by default, 93 days before `to`."),
  to: q.bound("Booked before this time; by default, or if it is in the future, now."),
});

const pageSize = 100;

function rowOf({ entry, accountName, payout }: PayoutBooking): object {
  const { step, amount, accountId, currencyCode, createdAt } = f.present(entry);
  const paid = f.present(payout);
  const bookedAt = isoTime(timestampDate(f.present(createdAt)));
  return {
    booked_at: bookedAt,
    booked_on: bookedAt.slice(0, 10),
    type: enumName(LedgerStep, step),
    account_id: accountId,
    account_name: accountName,
    currency: currencyCode,
    amount: exactNumber(step === LedgerStep.POST ? `-${amount}` : amount),
    fees: exactNumber(posted("platform:fees")(f.present(entry))),
    exchange_rate: paid.exchangeRate,
    receiving_currency: paid.destinationCurrencyCode,
    receiving_amount: paid.receivingAmount,
    payout_id: paid.id,
    reference_id: paid.referenceId,
    transaction_reference: paid.uniqueTransactionReference || paid.returnedReference,
    transfer_method: paid.transferMethod,
    beneficiary_id: paid.beneficiaryId,
    beneficiary_name: paid.beneficiaryName,
    created_at: isoTime(timestampDate(f.present(paid.createdAt))),
    created_by_id: paid.createdBy?.id,
    created_by_name: paid.createdBy?.name,
    batch_id: paid.batchId,
    scheduled_payout_id: paid.scheduledPayoutId,
    reissue_of: paid.reissueOf,
    entry_id: entry?.id,
    metadata: Object.keys(paid.metadata).length === 0 ? "" : JSON.stringify(paid.metadata),
  };
}

/** The bookings of all accounts' payouts, for the merchant's accounting. */
export const accountingRoute = get("exportAccounting", "/api/v1/transfer/accounting.csv", {
  summary: "Export accounting (CSV)",
  description:
    "The bookings of your payouts in a period of at most 93 days, complete: a row `post` when a payment left an account, a row `return` when it came back. Rows are in order of account and time. The bookings of a past period never change; `metadata` and references are those of the payout as it is now.\n\n`amount` is the change of the account, fees included. `fees` is the part that is fees, negative if they are refunded. Times and the day `booked_on` are in UTC. Currencies are ISO 4217 codes, or the codes of crypto currencies. New columns are appended. The rows of an account are those of its statement.\n\nA text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-` or `@`) is prefixed with `'`. A download that breaks off is incomplete: use the file only if the response ended normally.",
  query,
  data: file,
  answer: ({ request }, { statements, actorNames }) => {
    // All accounts end at the same time.
    const period = { ...request, to: request.to ?? timestampNow() };
    return csvFile({
      columns,
      load: async (cursor) => {
        const page = await statements.listPayoutBookings({ ...period, limit: pageSize, cursor });
        await actorNames.add(page);
        return page;
      },
      rowsOf: ({ bookings }) => bookings.map(rowOf),
    });
  },
});
