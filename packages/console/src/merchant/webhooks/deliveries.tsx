import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { deliveries } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/en.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import type { Bulk } from "../../ui/bulk.tsx";
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

function useResending(): Bulk<WebhookDelivery> | undefined {
  const client = useQueryClient();
  if (!may(useSession(), "webhook:write")) return undefined;
  return {
    nameOf: (row) => `${row.transaction_type}, ${row.transaction_id}`,
    actions: [
      {
        label: t.webhooks.delivery.redeliver,
        text: words.resendText,
        kind: "primary",
        change: ({ id }, idempotencyKey) =>
          send("POST", `${deliveries.path}/${encodeURIComponent(id)}/redeliver`, {
            body: {},
            idempotencyKey,
          }),
      },
    ],
    onDone: () => client.invalidateQueries({ queryKey: [deliveries.path] }),
  };
}

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
        bulk={useResending()}
      />
    </Page>
  );
}
