import type { Account, PlatformBalance } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailAccount } from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { getRouteApi } from "@tanstack/react-router";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { ForRoles } from "../../session/may.tsx";
import { support, treasury } from "../../shell/pages.ts";
import { codeColumn, momentColumn, moneyColumn, textColumn } from "../../ui/columns.tsx";
import { PageFilters, textFilter } from "../../ui/filters.tsx";

import { ListSection } from "../../ui/list.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { merchantColumns } from "../merchants.tsx";

const words = operatorTexts.treasury.balances;
const route = getRouteApi("/shell/treasury/balances");

const platformColumns: readonly Column<PlatformBalance>[] = [
  textColumn("account", words.account, (row) => row.account),
  textColumn("currency", words.currency, (row) => row.currencyCode),
  moneyColumn("balance", words.balance, (row) => [row.balance]),
];

const railColumns: readonly Column<RailAccount>[] = [
  textColumn("rail", words.rail, (row) => row.rail),
  textColumn("currency", words.currency, (row) => row.currencyCode),
  moneyColumn("available", words.available, (row) => [row.available]),
  moneyColumn("held", words.held, (row) => [row.held]),
  {
    ...moneyColumn("waiting", words.waiting, (row) => [row.waiting]),
    cell: (row) => (
      <>
        {String(row.waitingCount)} (<Money amount={row.waiting} />)
      </>
    ),
  },
  moneyColumn("missing", words.missing, (row) => [row.missing]),
];

const accountColumns: readonly Column<Account>[] = [
  codeColumn("account", words.account, (row) => row.id),
  ...merchantColumns<Account>(({ merchantId }) => merchantId, { width: "wide" }),
  textColumn("currency", words.currency, (row) => row.currencyCode),
  moneyColumn("available", words.available, (row) => [row.available]),
  moneyColumn("held", words.held, (row) => [row.held]),
  momentColumn("updated", t.payouts.one.updated, (row) => isoOf(row.updatedAt), { width: "wide" }),
];

const platformBalances = rpcSource(["accounts", "platform"], "balances", () =>
  rpcs.payout.listPlatformBalances({}),
);

const railAccounts = rpcSource(["accounts", "rails"], "accounts", () =>
  rpcs.operations.listRailAccounts({}),
);

export function TreasuryBalances() {
  return (
    <Page>
      <PlatformBalances />
      <Merchants />
    </Page>
  );
}

/** The platform's own money, in the ledger and on the rails. */
export function PlatformBalances() {
  return (
    <>
      <ForRoles roles={treasury}>
        <ListSection
          title={words.platform}
          caption={words.platformCaption}
          source={platformBalances}
          columns={platformColumns}
          keyOf={({ account, currencyCode }) => `${account}:${currencyCode}`}
          file="platform"
        />
      </ForRoles>
      <ForRoles roles={support}>
        <ListSection
          title={words.rails}
          caption={words.railsCaption}
          source={railAccounts}
          columns={railColumns}
          keyOf={({ rail, currencyCode }) => `${rail}:${currencyCode}`}
          empty={words.noRails}
          file="rail-accounts"
        />
      </ForRoles>
    </>
  );
}

function Merchants() {
  const { merchant_id: merchantId = "" } = route.useSearch();
  return (
    <ListSection
      title={words.merchants}
      caption={words.merchantsCaption}
      columns={accountColumns}
      keyOf={({ id }) => id}
      file="accounts"
      {...(merchantId !== "" && { empty: t.states.nothingMatches })}
      source={rpcSource(["accounts", "merchants", merchantId], "accounts", (page) =>
        rpcs.payout.listAccounts({ merchantId, ...page }),
      )}
    >
      <PageFilters filters={[textFilter("merchant_id", words.filterMerchant)]} />
    </ListSection>
  );
}
