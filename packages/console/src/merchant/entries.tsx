import type { LedgerEntry } from "@disburse/sdk/gen/types.ts";
import { getRouteApi } from "@tanstack/react-router";
import { accounts, entriesOf } from "../api/lists.ts";
import { sourceOf } from "../api/pages.ts";
import { addressOf } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { may } from "../session/session.ts";
import { useSession } from "../session/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { List } from "../ui/list.tsx";
import { Moment } from "../ui/moment.tsx";
import { Change, Money } from "../ui/money.tsx";
import { Page } from "../ui/page.tsx";
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
  { id: "created", header: t.list.created, cell: ({ created_at: at }) => <Moment at={at} /> },
  { id: "step", header: words.step, cell: ({ step }) => words.steps[step] ?? step },
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
  {
    id: "available",
    header: words.available,
    align: "end",
    cell: ({ available }) => <Money amount={available} />,
  },
  {
    id: "held",
    header: words.held,
    align: "end",
    width: "wide",
    cell: ({ held }) => <Money amount={held} />,
  },
  {
    id: "payout",
    header: words.payout,
    cell: ({ payout_id: payoutId }) => (payoutId === "" ? "–" : <PayoutLink id={payoutId} />),
  },
  { id: "note", header: words.note, width: "wide", cell: ({ note }) => note },
];

const filters: readonly Filter[] = [
  { name: "step", label: words.step, kind: "choice", options: Object.entries(words.steps) },
  { name: "payout_id", label: words.payout, kind: "text" },
  { name: "created_from", label: t.list.from, kind: "day" },
  { name: "created_to", label: t.list.to, kind: "day" },
];

/** Lists an account's ledger entries. The server generates the CSV file. */
export function Entries() {
  const { accountId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const session = useSession();
  const account = useAccount(accountId);
  const list = entriesOf(accountId);
  const query = spanQuery(search);
  return (
    <Page
      title={words.titleOf({ name: account?.name || (account?.currency_code ?? "") })}
      id={accountId}
      state={
        account?.closed_at ? <Badge tone="warn">{t.shell.accountSettings.closed}</Badge> : null
      }
      actions={
        <>
          {account !== undefined && may(session, "account:write") ? (
            <AccountSettings account={account} />
          ) : null}
          <Statements accountId={accountId} from={query.created_from} to={query.created_to} />
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
      <List
        caption={words.caption}
        source={sourceOf(list, query)}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}

function Statements(props: {
  accountId: string;
  from: string | undefined;
  to: string | undefined;
}) {
  const { accountId, from, to } = props;
  const path = `${accounts.path}/${encodeURIComponent(accountId)}/statements`;
  return Object.entries(words.statements).map(([format, label]) => (
    <a key={format} className="button" href={addressOf(path, { from, to, format })} download>
      {label}
    </a>
  ));
}
