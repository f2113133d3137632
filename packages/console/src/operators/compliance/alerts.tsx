import {
  type Alert,
  AlertState,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { enumName } from "../../api/enum-names.ts";
import { answerOf, isoOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { pageOf, readAllPages, rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole, operatorName } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import type { Bulk } from "../../ui/bulk.tsx";
import { textColumn } from "../../ui/columns.tsx";
import type { Filter, FilterValues } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { spanText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { useMerchantColumn } from "../merchant-name.tsx";
import { merchantsQuery } from "../merchants.ts";
import {
  AlertLink,
  type AlertRow,
  alertName,
  Due,
  Held,
  listedName,
  queueOf,
  withHeld,
} from "./queue.tsx";
import { totalsOf } from "./rules/totals.ts";
import { scoreText, VerdictBadge } from "./verdict.tsx";

const words = operatorTexts.compliance.alerts;
/** Maximum number of alerts in the totals. Reading them takes ten requests. */
const totalsMax = 1_000;

/** The alerts that wait. */
const totalsQuery = {
  queryKey: ["compliance", "totals"],
  queryFn: () =>
    readAllPages<Alert>(async (page) => {
      const { alerts, nextCursor } = await rpcs.review.listAlerts(page);
      return pageOf(alerts, nextCursor);
    }, totalsMax),
};

const stateOf = ({ state }: Alert) => enumName(AlertState, state);
const idOf = ({ id }: Alert) => id;
const ageSeconds = (alert: Alert) => (Date.now() - Date.parse(isoOf(alert.waitingSince))) / 1_000;

const ownColumns: readonly Column<AlertRow>[] = [
  { id: "id", header: t.list.id, csv: idOf },
  {
    id: "age",
    header: words.age,
    cell: (row) => <time dateTime={isoOf(row.waitingSince)}>{spanText(ageSeconds(row))}</time>,
    csv: (row) => isoOf(row.waitingSince),
  },
  {
    id: "due",
    header: words.due,
    cell: (row) => <Due alert={row} />,
    csv: (row) => isoOf(row.dueAt),
  },
  {
    id: "party",
    header: words.party,
    cell: (row) => <AlertLink alert={row} />,
    csv: ({ partyName }) => partyName,
  },
  {
    id: "listed",
    header: words.listed,
    cell: listedName,
    csv: ({ hit }) => hit?.matchedName ?? "",
  },
  {
    id: "state",
    header: words.state,
    cell: (row) => <StateBadge state={stateOf(row)} words={words.states} />,
    csv: stateOf,
  },
  {
    id: "score",
    header: words.score,
    align: "end",
    cell: ({ hit }) => (
      <>
        {scoreText(hit?.score)} <VerdictBadge verdict={hit?.verdict} />
      </>
    ),
    csv: ({ hit }) => scoreText(hit?.score),
  },
  {
    id: "held",
    header: words.held,
    align: "end",
    cell: ({ held }) => <Held sums={held} />,
    csv: ({ held = [] }) => held.map((each) => `${each.amount} ${each.currencyCode}`).join("; "),
  },
  textColumn("list", words.list, ({ hit }) => hit?.list ?? "", { width: "wide" }),
  { id: "record", header: words.record, csv: ({ subject }) => subject?.recordId ?? "" },
  {
    id: "assignee",
    header: words.assignee,
    width: "wide",
    cell: ({ assignee }) =>
      operatorName(assignee) || <span className="soft">{words.unassigned}</span>,
    csv: (row) => operatorName(row.assignee),
  },
];

const scores = ["0.7", "0.8", "0.9", "0.95"].map((score) => [score, score] as const);

/** The filters, with the names of lists, merchants and reviewers. */
function useFilters(): readonly Filter[] {
  const me = useSession().person.id;
  const { data: waiting } = useQuery(totalsQuery);
  const { data: merchants } = useQuery(merchantsQuery);
  const { data: lists } = useQuery({
    queryKey: ["compliance", "lists", "names"],
    queryFn: () => answerOf(rpcs.compliance.listLists({})),
  });
  const assignees = new Set(waiting?.items.map(({ assignee }) => assignee));
  const others = assignees.difference(new Set(["", me]));
  const people = [
    [me, words.me] as const,
    ...[...others].map((id) => [id, operatorName(id)] as const),
  ];
  const named = [
    ["state", words.state, Object.entries(words.states)],
    ["assignee", words.assignee, people],
    ["list", words.list, (lists?.lists ?? []).map(({ list }) => [list, list] as const)],
    ["score", words.scoreFrom, scores],
    [
      "merchant_id",
      operatorTexts.treasury.balances.merchant,
      (merchants?.items ?? []).map(({ id, name }) => [id, name] as const),
    ],
  ] as const;
  return [
    ...named.map(([name, label, options]) => ({ name, label, kind: "choice" as const, options })),
    { name: "record_id", label: words.record, kind: "text" },
  ];
}

const merchantColumn = {
  before: "listed",
  idOf: ({ subject }: Alert) => subject?.merchantId ?? "",
} as const;

const sourceFor = (search: FilterValues) =>
  rpcSource<AlertRow>(["compliance", "alerts", search], async (page) => {
    const { alerts, nextCursor } = await rpcs.review.listAlerts({ ...queueOf(search), ...page });
    return pageOf(await withHeld(alerts), nextCursor);
  });

export function Alerts() {
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      empty={words.empty}
      source={sourceFor}
      columns={useMerchantColumn(ownColumns, merchantColumn)}
      keyOf={idOf}
      file={{ name: "alerts" }}
      filters={useFilters()}
      bulk={useAssignments()}
    >
      <Totals />
    </ListPage>
  );
}

/** Assigns several alerts to the reviewer, or unassigns them. */
function useAssignments(): Bulk<AlertRow> | undefined {
  const session = useSession();
  const client = useQueryClient();
  const assign =
    (assignee: string) =>
    ({ id: alertId }: Alert, key: string) =>
      answerOf(rpcs.review.assignAlert({ mutation: mutationOf(key), alertId, assignee }));
  if (!hasRole(session, "compliance_officer", "compliance_approver")) return undefined;
  const { assignToMe, unassign, assignText } = operatorTexts.compliance.alert;
  const shared = { text: assignText, kind: "primary" } as const;
  return {
    nameOf: alertName,
    summary: (rows) => (
      <ul className="scrolled small">
        {rows.map((row) => (
          <li key={row.id}>
            {alertName(row)} · {words.assignee}: {operatorName(row.assignee) || words.unassigned}
          </li>
        ))}
      </ul>
    ),
    onDone: () => client.invalidateQueries({ queryKey: ["compliance"] }),
    actions: [
      { ...shared, label: assignToMe, change: assign(session.person.id) },
      { ...shared, label: unassign, change: assign("") },
    ],
  };
}

function Totals() {
  const { data } = useQuery(totalsQuery);
  if (data === undefined || data.items.length === 0) return null;
  const waiting = data.items.map((each) => {
    return { state: stateOf(each), createdAt: isoOf(each.waitingSince) };
  });
  const { states, older, oldestSeconds } = totalsOf(waiting, new Date());
  return (
    <section className="card" aria-label={words.totals}>
      <ul className="row totals">
        {[...states].map(([state, count]) => (
          <li key={state}>
            <strong>{count}</strong> {words.states[state]}
          </li>
        ))}
        {older.map(({ days, count }) => (
          <li key={days} className="soft">
            <strong>{count}</strong> {words.older({ days })}
          </li>
        ))}
      </ul>
      <p className="soft small">
        {words.oldest({ age: spanText(oldestSeconds) })} {data.isCut ? words.totalsCut : ""}
      </p>
    </section>
  );
}
