import {
  type Alert,
  AlertState,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName, enumValue } from "../../api/enum-names.ts";
import { answerOf, isoOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { pageOf, type ReadPage, readAllPages, rpcPagesOf } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import type { Bulk } from "../../ui/bulk.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { PagedTable } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { spanText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { useMerchantColumn } from "../merchant-name.tsx";
import { totalsOf } from "./rules/totals.ts";
import { scoreText, VerdictBadge } from "./verdict.tsx";

const words = operatorTexts.compliance.alerts;
const route = getRouteApi("/shell/compliance/alerts");

/** Maximum number of alerts in the totals. Reading them takes ten requests. */
const totalsMax = 1_000;

const stateOf = ({ state }: Alert) => enumName(AlertState, state);
const idOf = ({ id }: Alert) => id;
const ageSeconds = (alert: Alert) => (Date.now() - Date.parse(isoOf(alert.createdAt))) / 1_000;

const ownColumns: readonly Column<Alert>[] = [
  { id: "id", header: t.list.id, csv: idOf },
  {
    id: "age",
    header: words.age,
    cell: (row) => <time dateTime={isoOf(row.createdAt)}>{spanText(ageSeconds(row))}</time>,
    csv: (row) => isoOf(row.createdAt),
  },
  {
    id: "listed",
    header: words.listed,
    cell: ({ id, hit }) => (
      <Link to="/compliance/alerts/$alertId" params={{ alertId: id }}>
        {hit?.matchedName || hit?.entryUid || id}
      </Link>
    ),
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
    cell: ({ hit }) => scoreText(hit?.score),
    csv: ({ hit }) => scoreText(hit?.score),
  },
  {
    id: "verdict",
    header: words.verdict,
    cell: ({ hit }) => <VerdictBadge verdict={hit?.verdict} />,
  },
  {
    id: "list",
    header: words.list,
    width: "wide",
    cell: ({ hit }) => hit?.list,
    csv: ({ hit }) => hit?.list ?? "",
  },
  {
    id: "record",
    header: words.record,
    width: "wide",
    cell: ({ subject }) => <span className="mono break">{subject?.recordId}</span>,
    csv: ({ subject }) => subject?.recordId ?? "",
  },
  {
    id: "assignee",
    header: words.assignee,
    width: "wide",
    cell: ({ assignee }) => assignee || <span className="soft">{words.unassigned}</span>,
    csv: (row) => row.assignee,
  },
];

const filters: readonly Filter[] = [
  { name: "state", label: words.state, kind: "choice", options: Object.entries(words.states) },
  { name: "assignee", label: words.assignee, kind: "text" },
  { name: "merchant_id", label: operatorTexts.treasury.balances.filterMerchant, kind: "text" },
  { name: "record_id", label: words.record, kind: "text" },
];

const merchantColumn = {
  before: "record",
  width: "wide",
  idOf: ({ subject }: Alert) => subject?.merchantId ?? "",
} as const;

export function Alerts() {
  const columns = useMerchantColumn(ownColumns, merchantColumn);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const read: ReadPage<Alert> = async (page) => {
    const { alerts, nextCursor } = await rpcs.review.listAlerts({
      states: search.state === undefined ? [] : [enumValue(AlertState, search.state)],
      assignee: search.assignee ?? "",
      merchantId: search.merchant_id ?? "",
      recordId: search.record_id ?? "",
      ...page,
    });
    return pageOf(alerts, nextCursor);
  };
  const found = useInfiniteQuery(rpcPagesOf(["compliance", "alerts", search], read));
  const bulk = useAssignments();
  return (
    <Page
      title={words.title}
      actions={<ExportButton name="alerts" read={() => readAllPages(read)} columns={columns} />}
    >
      <Totals />
      <Filters
        filters={filters}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      <PagedTable
        caption={words.caption}
        columns={columns}
        keyOf={idOf}
        empty={words.empty}
        found={found}
        bulk={bulk}
      />
    </Page>
  );
}

const nameOf = ({ id, hit }: Alert) => hit?.matchedName || id;

/** Assigns several alerts to the reviewer, or unassigns them. */
function useAssignments(): Bulk<Alert> | undefined {
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
    nameOf,
    summary: (rows) => (
      <ul className="scrolled small">
        {rows.map((row) => (
          <li key={row.id}>
            {nameOf(row)} · {words.assignee}: {row.assignee || words.unassigned}
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
  const { data } = useQuery({
    queryKey: ["compliance", "totals"],
    queryFn: () =>
      readAllPages<Alert>(async (page) => {
        const { alerts, nextCursor } = await rpcs.review.listAlerts(page);
        return pageOf(alerts, nextCursor);
      }, totalsMax),
  });
  if (data === undefined || data.items.length === 0) return null;
  const waiting = data.items.map((each) => {
    return { state: stateOf(each), createdAt: isoOf(each.createdAt) };
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
