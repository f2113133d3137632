import type { ScheduledPayout } from "@disburse/sdk/gen/types.ts";
import { scheduledPayouts } from "../../api/lists.ts";
import { pathOf } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { longColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { choiceFilter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { PayoutLink } from "../../ui/record-link.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import type { Column } from "../../ui/table.tsx";
import { actorName, usePayeeNames } from "../names.tsx";
import { listed } from "../rules/span.ts";
import { orderColumns } from "./columns.tsx";
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

const columnsWith = (payeeName: (id: string) => string): readonly Column<ScheduledPayout>[] => [
  momentColumn("at", words.at, (row) => row.scheduled_at),
  textColumn("state", t.list.status, (row) => row.sub_status, {
    cell: (row) => (
      <span className="row">
        <StateBadge state={row.sub_status} words={t.payouts.subStatuses} />
        {reservedText(row)}
        {deciderOf(row) && `${t.list.deciders} ${deciderOf(row)}`}
      </span>
    ),
  }),
  ...orderColumns(payeeName),
  longColumn("reference", t.payouts.reference, (row) => row.reference_id, { width: "wide" }),
  textColumn("payout", t.shell.pages.payout, (row) => row.payout_id, {
    width: "wide",
    cell: ({ payout_id: id, failure_message: why }) =>
      id === "" ? why || "–" : <PayoutLink id={id} />,
  }),
  { id: "maker", header: t.list.makers, csv: (row) => actorName(row.created_by) },
  { id: "decider", header: t.list.deciders, csv: deciderOf },
  { id: "payee", header: t.payouts.searchBeneficiary, csv: (row) => row.beneficiary_id },
];

const actionsColumn: Column<ScheduledPayout> = {
  id: "actions",
  header: t.list.actions,
  cell: (row) => <Actions order={row} />,
};

const states = { scheduled: words.waiting, awaiting_approval: words.held };

export function ScheduledPayouts() {
  const session = useSession();
  const columns = columnsWith(usePayeeNames());
  const mayAct = may(session, "payout:write") || may(session, "payout:approve");
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={listed(scheduledPayouts)}
      columns={mayAct ? [...columns, actionsColumn] : columns}
      keyOf={({ id }) => id}
      file={{ name: "scheduled-payouts" }}
      filters={[choiceFilter("sub_status", t.list.status, states)]}
    />
  );
}

/** Actions on a scheduled payout before its payout exists. */
function Actions({ order }: { order: ScheduledPayout }) {
  const { id, sub_status: state, reserve, approval } = order;
  const isHeld = state === "awaiting_approval";
  if (!isHeld && state !== "scheduled") return null;
  const rejectText = reserve ? words.rejectReservedText : words.rejectText;
  return (
    <span className="row">
      {isHeld ? (
        <May scope="payout:approve">
          <Decision
            path={pathOf(scheduledPayouts, id)}
            texts={{ ...words, rejectText }}
            approval={{ digest: approval?.digest }}
          />
        </May>
      ) : null}
      <May scope="payout:write">
        <ConfirmButton
          label={t.payouts.one.cancel}
          text={rejectText}
          confirm={(key) => post(pathOf(scheduledPayouts, id, "/cancel"), {}, key)}
        />
      </May>
    </span>
  );
}
