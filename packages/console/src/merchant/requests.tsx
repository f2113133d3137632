import type { LoggedRequest } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { requests } from "../api/lists.ts";
import { t } from "../catalogue/texts.ts";
import { Badge } from "../ui/badge.tsx";
import { codeColumn, momentColumn, textColumn } from "../ui/columns.tsx";
import { choiceFilter, createdFilters, textFilter } from "../ui/filters.tsx";
import { ListPage } from "../ui/list-page.tsx";
import type { Column } from "../ui/table.tsx";
import { actorName } from "./names.tsx";
import { listed } from "./rules/span.ts";

const words = t.requests;

const filters = [
  textFilter("request_id", words.requestId),
  choiceFilter("status", t.list.status, words.statuses),
  choiceFilter("caller", t.list.makers, { member: words.people }, words.keys),
  ...createdFilters,
];

const columns: readonly Column<LoggedRequest>[] = [
  momentColumn("at", words.at, (row) => row.created_at),
  textColumn("result", words.result, (row) => String(row.http_status), {
    cell: ({ status, http_status: code }) => (
      <Badge tone={status === "failed" ? "bad" : "good"}>
        {code === 0 ? words.disconnected : code}
      </Badge>
    ),
  }),
  codeColumn("request", words.request, ({ method, route: path }) => `${method} ${path}`),
  textColumn("code", words.code, (row) => row.code, { cell: ({ code }) => code || "–" }),
  textColumn("duration", words.duration, (row) => String(row.duration_ms), {
    align: "end",
    cell: (row) => words.milliseconds({ ms: row.duration_ms }),
  }),
  textColumn("caller", words.caller, (row) => actorName(row.created_by), { width: "wide" }),
  codeColumn("record", words.record, (row) => row.record_id, { width: "wide" }),
  textColumn("requestId", words.requestId, (row) => row.request_id, {
    cell: ({ request_id: id }) => (
      <Link to="/requests" search={{ request_id: id }} className="mono break">
        {id}
      </Link>
    ),
  }),
];

export function Requests() {
  return (
    <ListPage
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
