import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { deliveries } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import type { Bulk } from "../../ui/bulk.tsx";
import { codeColumn } from "../../ui/columns.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";
import { listed } from "../rules/span.ts";
import { attemptsMs, deliveryColumns } from "./columns.tsx";

const words = t.webhooks.deliveries;

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
  codeColumn("transaction", words.transaction, (row) => row.transaction_id, { width: "wide" }),
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
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      source={listed(deliveries)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "webhook-deliveries" }}
      filters={filters}
      everyMs={attemptsMs}
      bulk={useResending()}
    />
  );
}
