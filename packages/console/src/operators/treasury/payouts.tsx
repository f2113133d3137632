import {
  type ListedPayout,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { enumName, enumValue } from "../../api/enum-names.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn, textColumn } from "../../ui/columns.tsx";
import type { Filter, FilterValues } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Money } from "../../ui/money.tsx";
import { TreasuryPayoutLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { useMerchantColumn } from "../merchant-name.tsx";

const words = operatorTexts.treasury.payouts;

export function PayoutStateBadge({ payout }: { payout: Pick<ListedPayout, "subStatus"> }) {
  const state = enumName(PayoutSubStatus, payout.subStatus);
  return <StateBadge state={state} words={t.payouts.subStatuses} />;
}

const ownColumns: readonly Column<ListedPayout>[] = [
  momentColumn("created", t.list.created, (row) => isoOf(row.createdAt)),
  {
    id: "id",
    header: t.list.id,
    cell: ({ id }) => <TreasuryPayoutLink id={id} />,
    csv: (row) => row.id,
  },
  {
    id: "state",
    header: t.list.status,
    cell: (row) => <PayoutStateBadge payout={row} />,
    csv: (row) => enumName(PayoutSubStatus, row.subStatus),
  },
  {
    id: "sent",
    header: t.payouts.sent,
    align: "end",
    width: "first",
    cell: (row) => <Money amount={row.sourceAmount} currency={row.sourceCurrencyCode} />,
    csv: (row) => row.sourceAmount,
  },
  {
    id: "received",
    header: t.payouts.received,
    align: "end",
    width: "wide",
    cell: (row) =>
      row.status === PayoutStatus.FAILED ? (
        "–"
      ) : (
        <Money amount={row.receivingAmount} currency={row.destinationCurrencyCode} />
      ),
    csv: (row) => (row.status === PayoutStatus.FAILED ? "" : row.receivingAmount),
  },
  textColumn("method", t.payouts.method, (row) => row.transferMethod, { width: "wide" }),
];

const merchantColumn = {
  before: "method",
  width: "wide",
  idOf: ({ merchantId }: ListedPayout) => merchantId,
} as const;

const filters: readonly Filter[] = [
  {
    name: "status",
    label: t.list.status,
    kind: "choice",
    options: Object.entries(t.payouts.statuses),
  },
  { name: "merchant_id", label: operatorTexts.treasury.balances.filterMerchant, kind: "text" },
  { name: "reference_id", label: t.payouts.searchReference, kind: "text" },
  { name: "beneficiary_id", label: t.payouts.searchBeneficiary, kind: "text" },
  { name: "batch_id", label: t.shell.pages.batch, kind: "text" },
];

const sourceFor = (search: FilterValues) =>
  rpcSource(["payouts", search], async (page) => {
    const answer = await rpcs.payout.listPayouts({
      merchantId: search["merchant_id"] ?? "",
      status: enumValue(PayoutStatus, search["status"]),
      referenceId: search["reference_id"] ?? "",
      beneficiaryId: search["beneficiary_id"] ?? "",
      batchId: search["batch_id"] ?? "",
      ...page,
    });
    return pageOf(answer.payouts, answer.nextCursor, answer.totalCount);
  });

export function TreasuryPayouts() {
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      source={sourceFor}
      columns={useMerchantColumn(ownColumns, merchantColumn)}
      keyOf={({ id }) => id}
      file={{ name: "payouts" }}
      filters={filters}
    />
  );
}
