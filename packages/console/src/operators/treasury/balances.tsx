import type { Account, PlatformBalance } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailAccount } from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReadPage } from "../../api/pages.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, readAllPages, rpcPagesOf } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { codeColumn, momentColumn, moneyColumn, textColumn } from "../../ui/columns.tsx";
import { ExportButton, wholeList } from "../../ui/export-button.tsx";
import { Filters } from "../../ui/filters.tsx";
import { PagedTable } from "../../ui/list.tsx";
import { Money } from "../../ui/money.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { useMerchantColumn } from "../merchant-name.tsx";

const words = operatorTexts.treasury.balances;
const route = getRouteApi("/shell/treasury/balances");

const platformColumns: readonly Column<PlatformBalance>[] = [
  textColumn("account", words.account, (row) => row.account),
  textColumn("currency", words.currency, (row) => row.currencyCode),
  moneyColumn("balance", words.balance, (row) => row.balance),
];

const railColumns: readonly Column<RailAccount>[] = [
  textColumn("rail", words.rail, (row) => row.rail),
  textColumn("currency", words.currency, (row) => row.currencyCode),
  moneyColumn("available", words.available, (row) => row.available),
  moneyColumn("held", words.held, (row) => row.held),
  {
    ...moneyColumn("waiting", words.waiting, (row) => row.waiting),
    cell: (row) => (
      <>
        {String(row.waitingCount)} (<Money amount={row.waiting} />)
      </>
    ),
  },
  moneyColumn("missing", words.missing, (row) => row.missing),
];

const ownAccountColumns: readonly Column<Account>[] = [
  codeColumn("account", words.account, (row) => row.id),
  textColumn("currency", words.currency, (row) => row.currencyCode),
  moneyColumn("available", words.available, (row) => row.available),
  moneyColumn("held", words.held, (row) => row.held),
  momentColumn("updated", t.payouts.one.updated, (row) => isoOf(row.updatedAt), { width: "wide" }),
];

const merchantColumn = {
  before: "currency",
  width: "wide",
  idOf: ({ merchantId }: Account) => merchantId,
} as const;

export function TreasuryBalances() {
  const session = useSession();
  return (
    <Page title={words.title}>
      {hasRole(session, "treasury", "treasury_approver", "auditor") ? <Platform /> : null}
      {hasRole(session, "treasury", "treasury_approver", "support", "auditor") ? <Rails /> : null}
      <Merchants />
    </Page>
  );
}

function Platform() {
  const found = useQuery({
    queryKey: ["accounts", "platform"],
    queryFn: () => answerOf(rpcs.payout.listPlatformBalances({})),
  });
  const balances = found.data?.balances ?? [];
  return (
    <Section
      title={words.platform}
      actions={
        <ExportButton name="platform" read={wholeList(balances)} columns={platformColumns} />
      }
    >
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      <DataTable
        caption={words.platformCaption}
        columns={platformColumns}
        rows={balances}
        keyOf={({ account, currencyCode }) => `${account}:${currencyCode}`}
      />
    </Section>
  );
}

function Rails() {
  const found = useQuery({
    queryKey: ["accounts", "rails"],
    queryFn: () => answerOf(rpcs.operations.listRailAccounts({})),
  });
  const accounts = found.data?.accounts ?? [];
  return (
    <Section
      title={words.rails}
      actions={
        accounts.length > 0 ? (
          <ExportButton name="rail-accounts" read={wholeList(accounts)} columns={railColumns} />
        ) : null
      }
    >
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      {found.data?.accounts.length === 0 ? <Notice tone="info">{words.noRails}</Notice> : null}
      {accounts.length > 0 ? (
        <DataTable
          caption={words.railsCaption}
          columns={railColumns}
          rows={accounts}
          keyOf={({ rail, currencyCode }) => `${rail}:${currencyCode}`}
        />
      ) : null}
    </Section>
  );
}

function Merchants() {
  const accountColumns = useMerchantColumn(ownAccountColumns, merchantColumn);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { merchant_id: merchantId = "" } = search;
  const read: ReadPage<Account> = async (page) => {
    const answer = await rpcs.payout.listAccounts({ merchantId, ...page });
    return pageOf(answer.accounts, answer.nextCursor, answer.totalCount);
  };
  const found = useInfiniteQuery(rpcPagesOf(["accounts", "merchants", merchantId], read));
  return (
    <Section
      title={words.merchants}
      actions={
        <ExportButton name="accounts" read={() => readAllPages(read)} columns={accountColumns} />
      }
    >
      <Filters
        filters={[{ name: "merchant_id", label: words.filterMerchant, kind: "text" }]}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      <PagedTable
        caption={words.merchantsCaption}
        columns={accountColumns}
        keyOf={({ id }) => id}
        found={found}
      />
    </Section>
  );
}
