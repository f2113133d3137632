import {
  type Alert,
  AlertState,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { enumName } from "../../api/enum-names.ts";
import { readAllFrom } from "../../api/pages.ts";
import { answerOf, isoOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { useOptionalAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole, operatorName } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { reviewers } from "../../shell/pages.ts";
import type { Bulk } from "../../ui/bulk.tsx";
import { ageColumn, numberColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { choiceFilter, type Filter, type FilterValues, textFilter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { spanText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { merchantColumns, merchantsQuery } from "../merchants.tsx";
import {
  AlertLink,
  type AlertRow,
  alertName,
  Due,
  Held,
  listedName,
  queueOf,
  readAlerts,
  withHeld,
} from "./queue.tsx";
import { totalsOf } from "./rules/totals.ts";
import { scoreText, VerdictBadge } from "./score.tsx";

const words = operatorTexts.compliance.alerts;
const wide = { width: "wide" } as const;
/** Maximum number of alerts in the totals. Reading them takes ten requests. */
const totalsMax = 1_000;

const stateOf = ({ state }: Alert) => enumName(AlertState, state);
const idOf = ({ id }: Alert) => id;

const columns: readonly Column<AlertRow>[] = [
  { id: "id", header: t.list.id, csv: idOf },
  ageColumn("age", words.age, (row) => isoOf(row.waitingSince)),
  textColumn("due", words.due, (row) => isoOf(row.dueAt), { cell: (row) => <Due alert={row} /> }),
  textColumn("party", words.party, ({ partyName }) => partyName, {
    cell: (row) => <AlertLink alert={row} />,
  }),
  ...merchantColumns<AlertRow>(({ subject }) => subject?.merchantId ?? ""),
  textColumn("listed", words.listed, ({ hit }) => hit?.matchedName ?? "", { cell: listedName }),
  stateColumn(words.state, stateOf, words.states),
  numberColumn("score", words.score, ({ hit }) => scoreText(hit?.score), {
    cell: ({ hit }) => (
      <>
        {scoreText(hit?.score)} <VerdictBadge verdict={hit?.verdict} />
      </>
    ),
  }),
  {
    id: "held",
    header: words.held,
    align: "end",
    cell: ({ held }) => <Held sums={held} />,
    csv: ({ held = [] }) => held.map((each) => `${each.amount} ${each.currencyCode}`).join("; "),
  },
  textColumn("list", words.list, ({ hit }) => hit?.list ?? "", wide),
  { id: "record", header: words.record, csv: ({ subject }) => subject?.recordId ?? "" },
  textColumn("assignee", words.assignee, ({ assignee }) => operatorName(assignee), {
    ...wide,
    cell: ({ assignee }) =>
      operatorName(assignee) || <span className="soft">{words.unassigned}</span>,
  }),
];

const scores = ["0.7", "0.8", "0.9", "0.95"];

/** The alerts that wait. */
const useWaiting = () =>
  useOptionalAnswer(["compliance", "totals"], () => readAllFrom({ read: readAlerts }, totalsMax));

/** The filters, with the names of lists, merchants and reviewers. */
function useFilters(): readonly Filter[] {
  const me = useSession().person.id;
  const waiting = useWaiting();
  const { data: merchants = new Map<string, string>() } = useQuery(merchantsQuery);
  const lists = useOptionalAnswer(["compliance", "lists", "names"], () =>
    rpcs.compliance.listLists({}),
  );
  const assignees = new Set(waiting?.items.map(({ assignee }) => assignee));
  const others = [...assignees.difference(new Set(["", me]))];
  const people = others.map((id) => [id, operatorName(id)] as const);
  const same = (texts: readonly string[]) => texts.map((text) => [text, text] as const);
  return [
    choiceFilter("state", words.state, words.states),
    choiceFilter("assignee", words.assignee, [[me, words.me], ...people]),
    choiceFilter("list", words.list, same((lists?.lists ?? []).map(({ list }) => list))),
    choiceFilter("score", words.scoreFrom, same(scores)),
    choiceFilter("merchant_id", operatorTexts.treasury.balances.merchant, [...merchants]),
    textFilter("record_id", words.record),
  ];
}

const sourceFor = (search: FilterValues) =>
  rpcSource(["compliance", "alerts", search], "alerts", async (page) => {
    const answer = await rpcs.review.listAlerts({ ...queueOf(search), ...page });
    return { ...answer, alerts: await withHeld(answer.alerts) };
  });

export function Alerts() {
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={sourceFor}
      columns={columns}
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
  const { assignToMe, unassign, assignText: text } = operatorTexts.compliance.alert;
  const shared = { text, kind: "primary" } as const;
  const assignment = (label: string, assignee: string) => ({
    ...shared,
    label,
    change: ({ id: alertId }: Alert, key: string) =>
      answerOf(rpcs.review.assignAlert({ mutation: mutationOf(key), alertId, assignee })),
  });
  if (!hasRole(session, ...reviewers)) return undefined;
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
    actions: [assignment(assignToMe, session.person.id), assignment(unassign, "")],
  };
}

function Totals() {
  const data = useWaiting();
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
