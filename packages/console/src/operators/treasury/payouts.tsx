import {
  type ListedPayout,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName, enumValue } from "../../api/enum-names.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, type ReadPage, readAllPages, rpcPagesOf } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { textColumn } from "../../ui/columns.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { PagedTable } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { useMerchantColumn } from "../merchant-name.tsx";

const words = operatorTexts.treasury.payouts;
const route = getRouteApi("/shell/treasury/payouts");

export function PayoutStateBadge({ payout }: { payout: Pick<ListedPayout, "subStatus"> }) {
  const state = enumName(PayoutSubStatus, payout.subStatus);
  return <StateBadge state={state} words={t.payouts.subStatuses} />;
}

const ownColumns: readonly Column<ListedPayout>[] = [
  {
    id: "created",
    header: t.list.created,
    cell: (row) => <Moment at={isoOf(row.createdAt)} />,
    csv: (row) => isoOf(row.createdAt),
  },
  {
    id: "id",
    header: t.list.id,
    cell: ({ id }) => (
      <Link to="/treasury/payouts/$payoutId" params={{ payoutId: id }} className="mono break">
        {id}
      </Link>
    ),
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
];

export function TreasuryPayouts() {
  const columns = useMerchantColumn(ownColumns, merchantColumn);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const read: ReadPage<ListedPayout> = async (page) => {
    const answer = await rpcs.payout.listPayouts({
      merchantId: search.merchant_id ?? "",
      status: enumValue(PayoutStatus, search.status),
      referenceId: search.reference_id ?? "",
      beneficiaryId: search.beneficiary_id ?? "",
      ...page,
    });
    return pageOf(answer.payouts, answer.nextCursor, answer.totalCount);
  };
  const found = useInfiniteQuery(rpcPagesOf(["payouts", search], read));
  return (
    <Page
      title={words.title}
      actions={<ExportButton name="payouts" read={() => readAllPages(read)} columns={columns} />}
    >
      <Filters
        filters={filters}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      <PagedTable caption={words.caption} columns={columns} keyOf={({ id }) => id} found={found} />
    </Page>
  );
}
