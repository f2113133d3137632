import type { Account } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy } from "react";
import { accounts, payouts } from "../api/lists.ts";
import { allOf, sourceOf } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { May } from "../session/may.tsx";
import { useSession } from "../session/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { ListSection } from "../ui/list.tsx";
import { Money } from "../ui/money.tsx";
import { Notice } from "../ui/notice.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Part } from "../ui/part.tsx";
import { isZero, moneyText } from "../ui/rules/amounts.ts";
import { WhenSeen } from "../ui/when-seen.tsx";
import { WorkList } from "../ui/work-list.tsx";
import { payoutColumns } from "./payouts/columns.tsx";
import { isLow } from "./rules/account.ts";
import { useMerchantWork } from "./work.ts";

const words = t.shell.home;

const charts = () => import("./charts.tsx");
const AccountCharts = lazy(async () => ({ default: (await charts()).AccountCharts }));
const WebhookCharts = lazy(async () => ({ default: (await charts()).WebhookCharts }));

export function Home() {
  const session = useSession();
  return (
    <Page
      actions={
        <May scope="payout:write">
          <Link to="/payouts/new" className="button" data-kind="primary">
            {t.payouts.make}
          </Link>
        </May>
      }
    >
      <WorkList {...useMerchantWork(session)} />
      <May scope="account:read">
        <Section id="accounts" title={words.title}>
          <Balances />
        </Section>
      </May>
      <May scope="payout:read">
        <ListSection
          title={words.recent}
          add={<Link to="/payouts">{words.all}</Link>}
          source={sourceOf(payouts)}
          columns={payoutColumns}
          keyOf={({ id }) => id}
        />
      </May>
      <WhenSeen>
        <Part>
          <May scope="account:read">
            <AccountCharts />
          </May>
          <May scope="webhook:read">
            <WebhookCharts />
          </May>
        </Part>
      </WhenSeen>
    </Page>
  );
}

function Balances() {
  const { data } = useSuspenseQuery(allOf(accounts));
  const all = data.items;
  if (all.length === 0) return <Notice tone="info">{words.noAccounts}</Notice>;
  return (
    <ul className="cards">
      {all.map((account) => (
        <Balance key={account.id} account={account} />
      ))}
    </ul>
  );
}

function Balance({ account }: { account: Account }) {
  const { id, name, currency_code: currency, available, held, closed_at: closedAt } = account;
  return (
    <li className="card">
      {name === "" ? null : <strong className="break">{name}</strong>}
      <span className="figure">
        <Money amount={available} currency={currency} />
      </span>
      <span className="soft small">
        {words.available}
        {isZero(held) ? "" : `, ${words.held({ amount: moneyText(held, currency) })}`}
        {closedAt === "" ? "" : `, ${t.shell.accountSettings.closed.toLowerCase()}`}
      </span>
      {isLow(account) ? <Badge tone="warn">{words.low}</Badge> : null}
      <Link to="/accounts/$accountId" params={{ accountId: id }} className="small break">
        {words.statement} <span className="mono">{id}</span>
      </Link>
    </li>
  );
}
