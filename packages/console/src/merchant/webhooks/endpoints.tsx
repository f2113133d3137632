import type { WebhookEndpointWithHealth } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { endpoints } from "../../api/lists.ts";
import { sourceOf } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { textColumn } from "../../ui/columns.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";

const words = t.webhooks.endpoints;

const columns: readonly Column<WebhookEndpointWithHealth>[] = [
  {
    id: "url",
    header: words.url,
    cell: ({ id, url }) => (
      <Link to="/webhooks/$endpointId" params={{ endpointId: id }} className="break">
        {url}
      </Link>
    ),
    csv: (row) => row.url,
  },
  {
    id: "state",
    header: t.webhooks.state,
    cell: ({ state }) => <StateBadge state={state} words={words.states} />,
    csv: (row) => row.state,
  },
  {
    id: "pending",
    header: words.pending,
    align: "end",
    cell: ({ health }) => health.pending_count,
    csv: ({ health }) => String(health.pending_count),
  },
  {
    id: "failure",
    header: words.lastFailure,
    width: "wide",
    cell: ({ health }) => <span className="break">{health.last_failure}</span>,
    csv: ({ health }) => health.last_failure,
  },
  textColumn("description", words.description, (row) => row.description, { width: "wide" }),
];

export function Endpoints() {
  const session = useSession();
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={() => sourceOf(endpoints)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "webhook-endpoints" }}
      add={
        may(session, "webhook:write") ? (
          <Link to="/webhooks/new" className="button" data-kind="primary">
            {words.add}
          </Link>
        ) : null
      }
    />
  );
}
