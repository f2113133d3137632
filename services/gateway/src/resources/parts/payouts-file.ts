import type { ListedPayout } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type * as f from "../../openapi/fields.ts";
import type { QueryShape } from "../../openapi/query.ts";
import { type FileFormat, get, type Resource } from "../../openapi/route.ts";
import { csvFile } from "./csv-file.ts";

/** The columns of the console's file, with its account, orders, creator, last change and approver. */
const columns = [
  ...["id", "created_at", "beneficiary_name", "status", "source_amount", "receiving_amount"],
  ...["reference_id", "transfer_method", "source_currency_code", "destination_currency_code"],
  ...["sub_status", "beneficiary_id", "beneficiary_account_number", "transaction_hash"],
  ...["bank_reference_number", "failure_code", "returned_reference", "account_id"],
  ...["batch_id", "scheduled_payout_id", "created_by_id", "created_by_name", "updated_at"],
  ...["decided_by_id", "decided_by_name"],
];

const file: FileFormat = {
  mediaType: "text/csv",
  name: "payouts.csv",
  description: "A header row, then one row for each payout (RFC 4180).",
  example: `${columns.join(",")}\r\n`,
};

/** The bound of a file. A spreadsheet opens it, and its download takes minutes at most. */
const rowsMax = 100_000;
/** Maximum page length of `listPayouts`. */
const pageSize = 100;

function rowOf(item: f.Component<ListedPayout>, payout: ListedPayout): object {
  const { sourceAmount, receivingAmount, referenceId, createdBy, decidedBy } = payout;
  return {
    ...(item.write(payout) as object),
    source_amount: sourceAmount,
    source_currency_code: payout.sourceCurrencyCode,
    receiving_amount: receivingAmount,
    destination_currency_code: payout.destinationCurrencyCode,
    reference_id: referenceId,
    created_by_id: createdBy?.id ?? "",
    created_by_name: createdBy?.name ?? "",
    decided_by_id: decidedBy?.id ?? "",
    decided_by_name: decidedBy?.name ?? "",
  };
}

/** The list of payouts as a file, with the filters and the order of the list. */
export function exportRoute(
  item: f.Component<ListedPayout>,
  query: QueryShape,
): Resource["routes"][number] {
  return get("exportPayouts", "/api/v1/transfer/payouts.csv", {
    summary: "Export payouts (CSV)",
    description: `The list as a file, with the filters and \`sort\` of List payouts: at most ${rowsMax.toLocaleString("en")} payouts. If a file has that many rows, export shorter periods with \`created_from\` and \`created_to\`. Each row shows its payout as it was when the row was written. A download that breaks off is incomplete: use the file only if the response ended normally.\n\nA text that a spreadsheet would run as a formula (it begins with \`=\`, \`+\`, \`-\` or \`@\`) is prefixed with \`'\`.`,
    query,
    data: file,
    answer: ({ request }, { payout, actorNames }) =>
      csvFile({
        columns,
        load: async (cursor) => {
          const page = { limit: pageSize, cursor, withoutTotal: true };
          const loaded = await payout.listPayouts({ ...request, ...page });
          await actorNames.add(loaded);
          return loaded;
        },
        rowsOf: ({ payouts }) => payouts.map((each) => rowOf(item, each)),
        rowsMax,
      }),
  });
}
