import type { WebhookDelivery } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Moment } from "../../ui/moment.tsx";
import type { Column } from "../../ui/table.tsx";

const words = t.webhooks;

/** Attempts publish no events, so pages with deliveries poll. */
export const attemptsMs = 5_000;

export const deliveryColumns: readonly Column<WebhookDelivery>[] = [
  {
    id: "created",
    header: t.list.created,
    cell: ({ created_at: at }) => <Moment at={at} />,
    csv: (row) => row.created_at,
  },
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
  {
    id: "next",
    header: words.nextAttempt,
    width: "wide",
    cell: ({ state, next_attempt_at: at }) => <Moment at={state === "pending" ? at : ""} />,
    csv: (row) => row.next_attempt_at,
  },
  {
    id: "id",
    header: t.list.id,
    width: "wide",
    cell: ({ id }) => <span className="mono break">{id}</span>,
    csv: (row) => row.id,
  },
];
