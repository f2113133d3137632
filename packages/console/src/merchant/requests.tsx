import type { LoggedRequest } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { requests } from "../api/lists.ts";
import { t } from "../catalogue/texts.ts";
import { Badge } from "../ui/badge.tsx";
import { codeColumn, countColumn, momentColumn } from "../ui/columns.tsx";
import { choiceFilter, createdFilters, type Filter, textFilter } from "../ui/filters.tsx";
import { ListPage } from "../ui/list-page.tsx";
import type { Column } from "../ui/table.tsx";
import { listed } from "./rules/span.ts";

const words = t.requests;

const filters: readonly Filter[] = [
  textFilter("request_id", words.requestId),
  choiceFilter("status", t.list.status, words.statuses),
  choiceFilter("caller", t.list.makers, { member: words.people }, words.keys),
  ...createdFilters,
];

const columns: readonly Column<LoggedRequest>[] = [
  momentColumn("at", words.at, (row) => row.created_at),
  {
    id: "result",
    header: words.result,
    cell: ({ status, http_status: code }) => (
      <Badge tone={status === "failed" ? "bad" : "good"}>
        {code === 0 ? words.disconnected : code}
      </Badge>
    ),
    csv: (row) => String(row.http_status),
  },
  codeColumn("request", words.request, ({ method, route: path }) => `${method} ${path}`),
  { id: "code", header: words.code, cell: ({ code }) => code || "–", csv: (row) => row.code },
  countColumn("duration", words.duration, (row) => row.duration_ms, {
    cell: (row) => words.milliseconds({ ms: row.duration_ms }),
  }),
  codeColumn("caller", words.caller, (row) => row.caller_id, { width: "wide" }),
  {
    id: "record",
    header: words.record,
    width: "wide",
    cell: (row) => <span className="mono break">{row.record_id || "–"}</span>,
    csv: (row) => row.record_id,
  },
  {
    id: "requestId",
    header: words.requestId,
    cell: ({ request_id: id }) => (
      <Link to="/requests" search={{ request_id: id }} className="mono break">
        {id}
      </Link>
    ),
    csv: (row) => row.request_id,
  },
];

export function Requests() {
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      empty={words.empty}
      source={listed(requests)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "requests" }}
      filters={filters}
    />
  );
}
