import type { ScheduledPayout } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { scheduledPayouts } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Money } from "../../ui/money.tsx";
import { PayeeLink, PayoutLink } from "../../ui/record-link.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import type { Column } from "../../ui/table.tsx";
import { actorName } from "../names.tsx";
import { listed } from "../rules/span.ts";
import { Decision } from "./decision.tsx";

const words = t.payouts.scheduled;

/** Names the money that is reserved for a payout that isn't made yet. */
function reservedText(order: ScheduledPayout): string | undefined {
  const { reserve, max_source_amount: most, source_currency_code: currency } = order;
  const isOpen = ["scheduled", "awaiting_approval"].includes(order.sub_status);
  return isOpen && reserve && most
    ? words.reserved({ amount: moneyText(most, currency) })
    : undefined;
}

const deciderOf = ({ approval }: ScheduledPayout) => actorName(approval?.decided_by);

const columns: readonly Column<ScheduledPayout>[] = [
  momentColumn("at", words.at, (row) => row.scheduled_at),
  {
    id: "state",
    header: t.list.status,
    cell: (row) => (
      <span className="row">
        <StateBadge state={row.sub_status} words={t.payouts.subStatuses} />
        {reservedText(row)}
        {deciderOf(row) && `${t.list.deciders} ${deciderOf(row)}`}
      </span>
    ),
    csv: (row) => row.sub_status,
  },
  {
    id: "beneficiary",
    header: t.payouts.beneficiary,
    cell: ({ beneficiary_id: id }) => <PayeeLink id={id} />,
    csv: (row) => row.beneficiary_id,
  },
  {
    id: "sent",
    header: t.payouts.sent,
    align: "end",
    width: "first",
    cell: ({ source_amount: amount, source_currency_code: currency }) =>
      amount === undefined ? "–" : <Money amount={amount} currency={currency} />,
    csv: (row) => row.source_amount ?? "",
  },
  {
    id: "received",
    header: t.payouts.received,
    align: "end",
    cell: ({ receiving_amount: amount, destination_currency_code: currency }) =>
      amount === undefined ? "–" : <Money amount={amount} currency={currency} />,
    csv: (row) => row.receiving_amount ?? "",
  },
  {
    id: "reference",
    header: t.payouts.reference,
    width: "wide",
    cell: (row) => <span className="break">{row.reference_id}</span>,
    csv: (row) => row.reference_id,
  },
  {
    id: "payout",
    header: words.payout,
    width: "wide",
    cell: ({ payout_id: id, failure_message: why }) =>
      id === "" ? why || "–" : <PayoutLink id={id} />,
    csv: (row) => row.payout_id,
  },
  { id: "maker", header: t.list.makers, csv: (row) => actorName(row.created_by) },
  { id: "decider", header: t.list.deciders, csv: deciderOf },
];

const actionsColumn: Column<ScheduledPayout> = {
  id: "actions",
  header: t.list.actions,
  cell: (row) => <Actions order={row} />,
};

const filters: readonly Filter[] = [
  {
    name: "sub_status",
    label: t.list.status,
    kind: "choice",
    options: [
      ["scheduled", words.waiting],
      ["awaiting_approval", words.held],
    ],
  },
];

export function ScheduledPayouts() {
  const session = useSession();
  const mayAct = may(session, "payout:write") || may(session, "payout:approve");
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      empty={words.empty}
      source={listed(scheduledPayouts)}
      columns={mayAct ? [...columns, actionsColumn] : columns}
      keyOf={({ id }) => id}
      file={{ name: "scheduled-payouts" }}
      filters={filters}
    />
  );
}

/** Actions on a scheduled payout before its payout exists. */
function Actions({ order }: { order: ScheduledPayout }) {
  const session = useSession();
  const client = useQueryClient();
  const isHeld = order.sub_status === "awaiting_approval";
  if (!isHeld && order.sub_status !== "scheduled") return null;
  const post = async (action: string, body: object, idempotencyKey: string) => {
    const path = `${scheduledPayouts.path}/${encodeURIComponent(order.id)}/${action}`;
    await send("POST", path, { body, idempotencyKey });
    await client.invalidateQueries({ queryKey: [scheduledPayouts.path] });
  };
  const rejectText = order.reserve ? words.rejectReservedText : words.rejectText;
  return (
    <span className="row">
      {isHeld && may(session, "payout:approve") ? (
        <Decision texts={{ ...words, rejectText }} approval={{}} send={post} />
      ) : null}
      {may(session, "payout:write") ? (
        <ConfirmButton
          label={words.cancel}
          text={order.reserve ? words.cancelReservedText : words.cancelText}
          confirm={(key) => post("cancel", {}, key)}
        />
      ) : null}
    </span>
  );
}
