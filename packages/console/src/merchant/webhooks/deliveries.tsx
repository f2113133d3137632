import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";
import { getRouteApi } from "@tanstack/react-router";
import { deliveries } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { t } from "../../catalogue/en.ts";
import { ExportButton } from "../../ui/export-button.tsx";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { attemptsMs, deliveryColumns } from "./columns.tsx";

const words = t.webhooks.deliveries;
const route = getRouteApi("/shell/deliveries");

const filters: readonly Filter[] = [
  {
    name: "state",
    label: t.webhooks.state,
    kind: "choice",
    options: Object.entries(t.webhooks.deliveryStates),
  },
  { name: "endpoint_id", label: words.endpoint, kind: "text" },
  { name: "transaction_id", label: words.transaction, kind: "text" },
];

const columns: readonly Column<WebhookDelivery>[] = [
  ...deliveryColumns,
  {
    id: "transaction",
    header: words.transaction,
    width: "wide",
    cell: (row) => <span className="mono break">{row.transaction_id}</span>,
    csv: (row) => row.transaction_id,
  },
];

export function Deliveries() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      title={words.title}
      actions={
        <ExportButton
          name="webhook-deliveries"
          read={() => readAll(deliveries, search)}
          columns={columns}
        />
      }
    >
      <Filters
        filters={filters}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      <List
        caption={words.caption}
        list={deliveries}
        query={search}
        columns={columns}
        keyOf={({ id }) => id}
        everyMs={attemptsMs}
      />
    </Page>
  );
}
