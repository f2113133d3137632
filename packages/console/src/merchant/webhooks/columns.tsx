import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { codeColumn, momentColumn } from "../../ui/columns.tsx";
import type { Column } from "../../ui/table.tsx";

const words = t.webhooks;

/** Attempts publish no events, so pages with deliveries poll. */
export const attemptsMs = 5_000;

export const deliveryColumns: readonly Column<WebhookDelivery>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  {
    id: "event",
    header: words.event,
    cell: ({ id, transaction_type: type, status }) => (
      <Link to="/deliveries/$deliveryId" params={{ deliveryId: id }}>
        {type}.{status}
      </Link>
    ),
    csv: ({ transaction_type: type, status }) => `${type}.${status}`,
  },
  {
    id: "state",
    header: words.state,
    cell: ({ state }) => <StateBadge state={state} words={words.deliveryStates} />,
    csv: (row) => row.state,
  },
  {
    id: "attempts",
    header: words.attempts,
    align: "end",
    cell: (row) => row.attempts_count,
    csv: (row) => String(row.attempts_count),
  },
  momentColumn("next", words.nextAttempt, (row) => row.next_attempt_at, { width: "wide" }),
  codeColumn("id", t.list.id, (row) => row.id, { width: "wide" }),
];
