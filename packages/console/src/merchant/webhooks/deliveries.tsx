import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";
import { deliveries } from "../../api/lists.ts";
import { pathOf } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import type { Bulk } from "../../ui/bulk.tsx";
import { codeColumn } from "../../ui/columns.tsx";
import { choiceFilter, textFilter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { listed } from "../rules/span.ts";
import { attemptsMs, deliveryColumns } from "./columns.tsx";

const words = t.webhooks.deliveries;

const filters = [
  choiceFilter("state", t.webhooks.state, t.webhooks.deliveryStates),
  textFilter("endpoint_id", words.endpoint),
  textFilter("transaction_id", words.transaction),
];

const columns = [
  ...deliveryColumns,
  codeColumn<WebhookDelivery>("transaction", words.transaction, (row) => row.transaction_id, {
    width: "wide",
  }),
];

const resending: Bulk<WebhookDelivery> = {
  nameOf: (row) => `${row.transaction_type}, ${row.transaction_id}`,
  actions: [
    {
      label: t.webhooks.delivery.redeliver,
      text: words.resendText,
      kind: "primary",
      change: ({ id }, key) => post(pathOf(deliveries, id, "/redeliver"), {}, key),
    },
  ],
};

export function Deliveries() {
  return (
    <ListPage
      caption={words.caption}
      source={listed(deliveries)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "webhook-deliveries" }}
      filters={filters}
      everyMs={attemptsMs}
      bulk={may(useSession(), "webhook:write") ? resending : undefined}
    />
  );
}
