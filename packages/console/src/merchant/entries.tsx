import type { LedgerEntry } from "@disburse/sdk/gen/types.ts";
import { getRouteApi } from "@tanstack/react-router";
import { accounts, entriesOf } from "../api/lists.ts";
import { pathOf } from "../api/pages.ts";
import { addressOf } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { May } from "../session/may.tsx";
import { Badge } from "../ui/badge.tsx";
import { momentColumn, moneyColumn, textColumn } from "../ui/columns.tsx";
import { choiceFilter, createdFilters, textFilter } from "../ui/filters.tsx";
import { ListPage } from "../ui/list-page.tsx";
import { Change } from "../ui/money.tsx";
import { PayoutLink } from "../ui/record-link.tsx";
import { isZero } from "../ui/rules/amounts.ts";
import type { Column } from "../ui/table.tsx";
import { AccountSettings } from "./account-settings.tsx";
import { useAccount } from "./names.tsx";
import { listed, spanQuery } from "./rules/span.ts";
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
  moneyColumn("available", words.available, (row) => [row.available], {}),
  moneyColumn("held", words.held, (row) => [row.held], { width: "wide" }),
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

/** Lists an account's ledger entries. The server writes the files. */
export function Entries() {
  const { accountId } = route.useParams();
  const query = spanQuery(route.useSearch());
  const account = useAccount(accountId);
  const list = entriesOf(accountId);
  const { created_from: from, created_to: to } = query;
  const closed = <Badge tone="warn">{t.shell.accountSettings.closed}</Badge>;
  return (
    <ListPage
      title={account && words.titleOf({ name: account.name || account.currency_code })}
      id={accountId}
      state={account?.closed_at ? closed : null}
      caption={words.caption}
      source={listed(list)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "entries", address: addressOf(`${list.path}.csv`, query) }}
      filters={filters}
      add={
        <>
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
          <May scope="account:write">{account && <AccountSettings account={account} />}</May>
        </>
      }
    >
      <TopUp text={account?.top_up_instructions ?? ""} />
    </ListPage>
  );
}
