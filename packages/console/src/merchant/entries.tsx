import type { LedgerEntry } from "@disburse/sdk/gen/types.ts";
import { getRouteApi } from "@tanstack/react-router";
import { accounts, entriesOf } from "../api/lists.ts";
import { pathOf, sourceOf } from "../api/pages.ts";
import { addressOf } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { May } from "../session/may.tsx";
import { Badge } from "../ui/badge.tsx";
import { momentColumn, moneyColumn, textColumn } from "../ui/columns.tsx";
import { choiceFilter, createdFilters, Filters, isFiltered, textFilter } from "../ui/filters.tsx";
import { List } from "../ui/list.tsx";
import { Change } from "../ui/money.tsx";
import { Page } from "../ui/page.tsx";
import { Part } from "../ui/part.tsx";
import { PayoutLink } from "../ui/record-link.tsx";
import { isZero } from "../ui/rules/amounts.ts";
import type { Column } from "../ui/table.tsx";
import { AccountSettings } from "./account-settings.tsx";
import { useAccount } from "./names.tsx";
import { spanQuery } from "./rules/span.ts";
import { TopUp } from "./top-up.tsx";

const words = t.shell.entries;
const route = getRouteApi("/shell/accounts/$accountId");

const columns: readonly Column<LedgerEntry>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  textColumn("step", words.step, ({ step }) => words.steps[step] ?? step),
  {
    id: "amount",
    header: words.amount,
    align: "end",
    width: "first",
    cell: ({ available_change: available, held_change: held, currency_code: currency }) => {
      // A payment leaves what was held before.
      const isHeld = isZero(available);
      return <Change amount={isHeld ? held : available} {...{ currency, isHeld }} />;
    },
  },
  moneyColumn("available", words.available, (row) => row.available, undefined, {}),
  moneyColumn("held", words.held, (row) => row.held, undefined, { width: "wide" }),
  textColumn("payout", t.shell.pages.payout, (row) => row.payout_id, {
    cell: ({ payout_id: id }) => (id === "" ? "–" : <PayoutLink id={id} />),
  }),
  textColumn("note", words.note, (row) => row.note, { width: "wide" }),
];

const filters = [
  choiceFilter("step", words.step, words.steps),
  textFilter("payout_id", t.shell.pages.payout),
  ...createdFilters,
];

/** Lists an account's ledger entries. The server generates the files. */
export function Entries() {
  const { accountId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const account = useAccount(accountId);
  const list = entriesOf(accountId);
  const query = spanQuery(search);
  const { created_from: from, created_to: to } = query;
  return (
    <Page
      {...(account && { title: words.titleOf({ name: account.name || account.currency_code }) })}
      id={accountId}
      state={
        account?.closed_at ? <Badge tone="warn">{t.shell.accountSettings.closed}</Badge> : null
      }
      actions={
        <>
          <May scope="account:write">{account && <AccountSettings account={account} />}</May>
          {Object.entries(words.statements).map(([format, label]) => (
            <a
              key={format}
              className="button"
              href={addressOf(pathOf(accounts, accountId, "/statements"), { from, to, format })}
              download
            >
              {label}
            </a>
          ))}
          <a className="button" href={addressOf(`${list.path}.csv`, query)} download>
            {t.actions.exportCsv}
          </a>
        </>
      }
    >
      <TopUp text={account?.top_up_instructions ?? ""} />
      <Filters
        filters={filters}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      <Part id={JSON.stringify(query)}>
        <List
          caption={words.caption}
          source={sourceOf(list, query)}
          columns={columns}
          keyOf={({ id }) => id}
          {...(isFiltered(search) && { empty: t.states.nothingMatches })}
        />
      </Part>
    </Page>
  );
}
