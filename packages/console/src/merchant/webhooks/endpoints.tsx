import type { WebhookEndpointWithHealth } from "@disburse/sdk/gen/types.ts";
import { endpoints } from "../../api/lists.ts";
import { sourceOf } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { AddLink } from "../../ui/add-link.tsx";
import { countColumn, longColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { EndpointLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";

const words = t.webhooks.endpoints;

const columns: readonly Column<WebhookEndpointWithHealth>[] = [
  textColumn("url", words.url, (row) => row.url, {
    cell: ({ id, url }) => (
      <span className="break">
        <EndpointLink id={id}>{url}</EndpointLink>
      </span>
    ),
  }),
  stateColumn(t.webhooks.state, (row) => row.state, words.states),
  countColumn("pending", words.pending, ({ health }) => health.pending_count),
  longColumn("failure", words.lastFailure, ({ health }) => health.last_failure, { width: "wide" }),
  textColumn("description", words.description, (row) => row.description, { width: "wide" }),
];

export function Endpoints() {
  return (
    <ListPage
      caption={t.shell.pages.webhooks}
      empty={words.empty}
      source={() => sourceOf(endpoints)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "webhook-endpoints" }}
      add={
        <AddLink scope="webhook:write" to="/webhooks/new">
          {words.add}
        </AddLink>
      }
    />
  );
}
