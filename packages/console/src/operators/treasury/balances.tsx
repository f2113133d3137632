import type { Account, PlatformBalance } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailAccount } from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { getRouteApi } from "@tanstack/react-router";
import { wholeSource } from "../../api/pages.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { support, treasury } from "../../shell/pages.ts";
import { codeColumn, momentColumn, moneyColumn, textColumn } from "../../ui/columns.tsx";
import { Filters } from "../../ui/filters.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
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

const platformBalances = wholeSource(["accounts", "platform"], async () => {
  const { balances } = await answerOf(rpcs.payout.listPlatformBalances({}));
  return balances;
});

const railAccounts = wholeSource(["accounts", "rails"], async () => {
  const { accounts } = await answerOf(rpcs.operations.listRailAccounts({}));
  return accounts;
});

export function TreasuryBalances() {
  const session = useSession();
  return (
    <Page>
      {hasRole(session, ...treasury) ? (
        <ListSection
          title={words.platform}
          caption={words.platformCaption}
          source={platformBalances}
          columns={platformColumns}
          keyOf={({ account, currencyCode }) => `${account}:${currencyCode}`}
          file="platform"
        />
      ) : null}
      {hasRole(session, ...support) ? (
        <ListSection
          title={words.rails}
          caption={words.railsCaption}
          source={railAccounts}
          columns={railColumns}
          keyOf={({ rail, currencyCode }) => `${rail}:${currencyCode}`}
          empty={words.noRails}
          file="rail-accounts"
        />
      ) : null}
      <Merchants />
    </Page>
  );
}

function Merchants() {
  const { merchant_id: merchantId = "", ...search } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ListSection
      title={words.merchants}
      caption={words.merchantsCaption}
      columns={useMerchantColumn(ownAccountColumns, merchantColumn)}
      keyOf={({ id }) => id}
      file="accounts"
      source={rpcSource(["accounts", "merchants", merchantId], async (page) => {
        const answer = await rpcs.payout.listAccounts({ merchantId, ...page });
        return pageOf(answer.accounts, answer.nextCursor, answer.totalCount);
      })}
    >
      <Filters
        filters={[{ name: "merchant_id", label: words.filterMerchant, kind: "text" }]}
        values={{ ...search, merchant_id: merchantId }}
        onChange={(next) => void navigate({ search: next })}
      />
    </ListSection>
  );
}
