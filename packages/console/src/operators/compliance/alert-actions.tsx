import {
  type Alert,
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { useQueryClient } from "@tanstack/react-query";
import { enumValue } from "../../api/enum-names.ts";
import { answerOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { BulkButton } from "../../ui/bulk.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { useSelection } from "../../ui/use-selection.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { MerchantName } from "../merchant-name.tsx";
import { reasonLength } from "../reason-field.tsx";
import { AlertLink, alertName, listedName } from "./queue.tsx";
import { scoreText } from "./verdict.tsx";

const words = operatorTexts.compliance.alert;
const stale = ["compliance", "approvals"];

const keyOf = ({ id }: Alert) => id;

const relatedColumns: readonly Column<Alert>[] = [
  {
    id: "party",
    header: operatorTexts.compliance.alerts.party,
    cell: (row) => <AlertLink alert={row} />,
  },
  {
    id: "listed",
    header: operatorTexts.compliance.alerts.listed,
    cell: listedName,
  },
  {
    id: "merchant",
    header: operatorTexts.treasury.balances.merchant,
    cell: ({ subject }) => <MerchantName id={subject?.merchantId ?? ""} />,
  },
  {
    id: "score",
    header: operatorTexts.compliance.alerts.score,
    align: "end",
    cell: ({ hit }) => scoreText(hit?.score),
  },
];

/** The reviewer's actions on an alert, depending on its state, and alerts to decide with it. */
export function AlertActions({ alert, related }: { alert: Alert; related: readonly Alert[] }) {
  const session = useSession();
  const { column, selection } = useSelection(related, { keyOf, nameOf: alertName });
  const isReviewer = hasRole(session, "compliance_officer", "compliance_approver");
  const columns = isReviewer ? [column, ...relatedColumns] : relatedColumns;
  const others = (
    <Section title={words.related}>
      <p className="soft small">{words.relatedText}</p>
      <DataTable caption={words.related} {...{ columns, keyOf }} rows={related} />
    </Section>
  );
  if (!isReviewer) return related.length === 0 ? null : others;
  const { state } = alert;
  const isWaiting = state === AlertState.OPEN || state === AlertState.ESCALATED;
  const isDecided = state === AlertState.FALSE_POSITIVE || state === AlertState.TRUE_MATCH;
  return (
    <>
      {related.length === 0 || !isWaiting ? null : others}
      <Section title={words.decide}>
        <div className="card row">
          <Decide
            rows={isWaiting ? [alert, ...selection.selected] : []}
            onClear={selection.clear}
          />
          {isWaiting ? <Assign alert={alert} me={session.person.id} /> : null}
          {isDecided ? (
            <ActionLink name="alerts reopen" label={words.reopen} values={{ alert: alert.id }} />
          ) : null}
          <ActionLink
            name="screenings rescreen"
            label={words.rescreen}
            values={{ merchant: alert.subject?.merchantId, record: alert.subject?.recordId }}
          />
        </div>
      </Section>
    </>
  );
}

function Assign({ alert, me }: { alert: Alert; me: string }) {
  const assign = (assignee: string, label: string) => (
    <ConfirmStep
      label={label}
      text=""
      kind="plain"
      step={(mutation) => rpcs.review.assignAlert({ mutation, alertId: alert.id, assignee })}
      stale={stale}
    />
  );
  return alert.assignee === me ? assign("", words.unassign) : assign(me, words.assignToMe);
}

const decisions = ["false_positive", "true_match", "escalated"] as const;

/**
 * Decides this alert and the selected related ones: each by its own request, with one reason. It
 * stays on the page after the decision, to show the results.
 */
function Decide({ rows, onClear }: { rows: readonly Alert[]; onClear: () => void }) {
  const client = useQueryClient();
  const onDone = () =>
    Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
  const summary = (all: readonly Alert[]) => (
    <ul className="scrolled small">
      {all.map((each) => (
        <li key={each.id}>
          {alertName(each)} · {listedName(each)} · {scoreText(each.hit?.score)}
        </li>
      ))}
    </ul>
  );
  return decisions.map((decision) => (
    <BulkButton
      key={decision}
      {...{ rows, onDone, onClear, summary, nameOf: alertName, keyOf }}
      action={{
        label: words.decisions[decision] ?? decision,
        text: words.effects[decision] ?? "",
        kind: decision === "true_match" ? "danger" : "primary",
        reason: t.steps.reason,
        reasonLength,
        change: ({ id: alertId }, key, reason) =>
          answerOf(
            rpcs.review.decideAlert({
              mutation: mutationOf(key),
              alertId,
              reason,
              decision: enumValue(Decision, decision),
            }),
          ),
      }}
    />
  ));
}
