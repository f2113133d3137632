import {
  type ListedPayout,
  PayoutOrderBy,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { getRouteApi } from "@tanstack/react-router";
import { enumName, enumValue } from "../../api/enum-names.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { momentColumn, moneyColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import {
  choiceFilter,
  createdFilters,
  type Filter,
  type FilterValues,
  textFilter,
} from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { TreasuryPayoutLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { merchantColumns } from "../merchants.tsx";
import { spanOf } from "./span.ts";

const wide = { width: "wide" } as const;
const route = getRouteApi("/shell/treasury/payouts");

export const subStatusOf = ({ subStatus }: Pick<ListedPayout, "subStatus">) =>
  enumName(PayoutSubStatus, subStatus);

const columns: readonly Column<ListedPayout>[] = [
  momentColumn("created", t.list.created, (row) => isoOf(row.createdAt)),
  textColumn("id", t.list.id, ({ id }) => id, { cell: TreasuryPayoutLink }),
  stateColumn(t.list.status, subStatusOf, t.payouts.subStatuses),
  moneyColumn("sent", t.payouts.sent, (row) => [row.sourceAmount, row.sourceCurrencyCode]),
  moneyColumn(
    "received",
    t.payouts.received,
    ({ status, receivingAmount: amount, destinationCurrencyCode: currency }) =>
      status === PayoutStatus.FAILED ? [] : [amount, currency],
    wide,
  ),
  ...merchantColumns<ListedPayout>(({ merchantId }) => merchantId, wide),
  textColumn("method", t.payouts.method, (row) => row.transferMethod, wide),
];

const orders: Readonly<Record<string, PayoutOrderBy>> = {
  created_at: PayoutOrderBy.OLDEST,
  "-amount": PayoutOrderBy.HIGHEST,
  amount: PayoutOrderBy.LOWEST,
};

/** Only a merchant's payouts have other orders, and amounts of several currencies have none. */
const isOrder = (order: string, search: FilterValues) =>
  search.merchant_id && (order === "created_at" || search.source_currency_code);

const { scheduled: _, ...subStatuses } = t.payouts.subStatuses;

const filters: readonly Filter[] = [
  choiceFilter("status", t.list.status, t.payouts.statuses),
  choiceFilter("sub_status", t.payouts.subStatus, subStatuses),
  textFilter("source_currency_code", t.payouts.sourceCurrency),
  textFilter("destination_currency_code", t.payouts.destinationCurrency),
  textFilter("merchant_id", operatorTexts.treasury.balances.filterMerchant),
  textFilter("reference_id", t.payouts.searchReference),
  textFilter("beneficiary_id", t.payouts.searchBeneficiary),
  textFilter("batch_id", t.shell.pages.batch),
  ...createdFilters,
];

const sourceFor = (search: FilterValues) =>
  rpcSource(["payouts", search], "payouts", (page) => {
    const { from, to } = spanOf(search.created_from, search.created_to);
    return rpcs.payout.listPayouts({
      merchantId: search.merchant_id ?? "",
      status: enumValue(PayoutStatus, search.status),
      subStatus: enumValue(PayoutSubStatus, search.sub_status),
      sourceCurrencyCode: search.source_currency_code?.toUpperCase() ?? "",
      destinationCurrencyCode: search.destination_currency_code?.toUpperCase() ?? "",
      referenceId: search.reference_id ?? "",
      beneficiaryId: search.beneficiary_id ?? "",
      batchId: search.batch_id ?? "",
      ...(from && { createdFrom: from }),
      ...(to && { createdTo: to }),
      orderBy: orders[search.sort ?? ""] ?? PayoutOrderBy.UNSPECIFIED,
      ...page,
    });
  });

export function TreasuryPayouts() {
  const search = route.useSearch();
  const options = Object.entries(t.list.orders).filter(([order]) => isOrder(order, search));
  const order = choiceFilter("sort", t.list.order, options, t.list.newest);
  return (
    <ListPage
      caption={operatorTexts.treasury.payouts.caption}
      source={sourceFor}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "payouts" }}
      filters={options.length === 0 ? filters : [order, ...filters]}
      adjust={({ sort, ...others }) =>
        sort && isOrder(sort, others) ? { sort, ...others } : others
      }
    />
  );
}
