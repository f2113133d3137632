import {
  type Alert,
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { enumValue } from "../../api/enum-names.ts";
import { answerOf, mutationOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { reviewers } from "../../shell/pages.ts";
import { BulkButton } from "../../ui/bulk.tsx";
import { numberColumn, textColumn } from "../../ui/columns.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { useSelection } from "../../ui/use-selection.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { ConfirmStep, reasonLength } from "../confirm-step.tsx";
import { merchantColumns } from "../merchants.tsx";
import { AlertLink, alertName, listedName } from "./queue.tsx";
import { scoreText } from "./score.tsx";

const { alert: words, alerts } = operatorTexts.compliance;

const keyOf = ({ id }: Alert) => id;

const relatedColumns: readonly Column<Alert>[] = [
  textColumn("party", alerts.party, alertName, { cell: (row) => <AlertLink alert={row} /> }),
  textColumn("listed", alerts.listed, listedName),
  ...merchantColumns<Alert>(({ subject }) => subject?.merchantId ?? ""),
  numberColumn("score", alerts.score, ({ hit }) => scoreText(hit?.score)),
];

/** The reviewer's actions on an alert, depending on its state, and alerts to decide with it. */
export function AlertActions({ alert, related }: { alert: Alert; related: readonly Alert[] }) {
  const session = useSession();
  const { column, selection } = useSelection(related, { keyOf, nameOf: alertName });
  const isReviewer = hasRole(session, ...reviewers);
  const { state, id, subject } = alert;
  const isWaiting = state === AlertState.OPEN || state === AlertState.ESCALATED;
  const isDecided = state === AlertState.FALSE_POSITIVE || state === AlertState.TRUE_MATCH;
  return (
    <>
      {related.length === 0 || (isReviewer && !isWaiting) ? null : (
        <Section title={words.related}>
          <p className="soft small">{words.relatedText}</p>
          <DataTable
            caption={words.related}
            columns={isReviewer ? [column, ...relatedColumns] : relatedColumns}
            rows={related}
            keyOf={keyOf}
          />
        </Section>
      )}
      {isReviewer ? (
        <Section title={words.decide}>
          <div className="card row">
            <Decide
              rows={isWaiting ? [alert, ...selection.selected] : []}
              onClear={selection.clear}
            />
            {isWaiting ? <Assign alert={alert} me={session.person.id} /> : null}
            {isDecided ? (
              <ActionLink name="alerts reopen" label={words.reopen} values={{ alert: id }} />
            ) : null}
            <ActionLink
              name="screenings rescreen"
              label={words.rescreen}
              values={{ merchant: subject?.merchantId, record: subject?.recordId }}
            />
          </div>
        </Section>
      ) : null}
    </>
  );
}

function Assign({ alert: { id: alertId, assignee: current }, me }: { alert: Alert; me: string }) {
  const assignee = current === me ? "" : me;
  return (
    <ConfirmStep
      label={assignee === "" ? words.unassign : words.assignToMe}
      text=""
      kind="plain"
      step={(mutation) => rpcs.review.assignAlert({ mutation, alertId, assignee })}
    />
  );
}

const decisions = ["false_positive", "true_match", "escalated"] as const;

/**
 * Decides this alert and the selected related ones: each by its own request, with one reason. It
 * stays on the page after the decision, to show the results.
 */
function Decide({ rows, onClear }: { rows: readonly Alert[]; onClear: () => void }) {
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
      {...{ rows, onClear, summary, nameOf: alertName, keyOf }}
      action={{
        label: words.decisions[decision],
        text: words.effects[decision],
        kind: decision === "true_match" ? "danger" : "primary",
        reason: t.steps.reason,
        reasonLength,
        change: ({ id: alertId }, key, reason) => {
          const decided = { alertId, reason, decision: enumValue(Decision, decision) };
          return answerOf(rpcs.review.decideAlert({ mutation: mutationOf(key), ...decided }));
        },
      }}
    />
  ));
}
