import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { t } from "../../catalogue/texts.ts";
import {
  codeColumn,
  countColumn,
  momentColumn,
  stateColumn,
  textColumn,
} from "../../ui/columns.tsx";
import type { Column } from "../../ui/table.tsx";

const words = t.webhooks;

/** Attempts publish no events, so pages with deliveries poll. */
export const attemptsMs = 5_000;

type Event = Pick<WebhookDelivery, "transaction_type" | "status">;
export const eventOf = ({ transaction_type: type, status }: Event) => `${type}.${status}`;

export const deliveryColumns: readonly Column<WebhookDelivery>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  textColumn<WebhookDelivery>("event", words.event, eventOf, {
    cell: (row) => (
      <Link to="/deliveries/$deliveryId" params={{ deliveryId: row.id }}>
        {eventOf(row)}
      </Link>
    ),
  }),
  stateColumn(words.state, (row) => row.state, words.deliveryStates),
  countColumn("attempts", words.attempts, (row) => row.attempts_count),
  momentColumn("next", words.nextAttempt, (row) => row.next_attempt_at, { width: "wide" }),
  codeColumn("id", t.list.id, (row) => row.id, { width: "wide" }),
];
