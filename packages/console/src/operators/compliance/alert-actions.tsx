import {
  type Alert,
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { useState } from "react";
import { enumValue } from "../../api/enum-names.ts";
import { rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { SelectField } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { isReason, ReasonField } from "../reason-field.tsx";

const words = operatorTexts.compliance.alert;
const stale = ["compliance", "approvals"];

/** The reviewer's actions on an alert, depending on its state. */
export function AlertActions({ alert }: { alert: Alert }) {
  const session = useSession();
  const isReviewer = hasRole(session, "compliance_officer", "compliance_approver");
  if (!isReviewer) return null;
  const { state } = alert;
  const isWaiting = state === AlertState.OPEN || state === AlertState.ESCALATED;
  const isDecided = state === AlertState.FALSE_POSITIVE || state === AlertState.TRUE_MATCH;
  return (
    <Section title={words.decide}>
      <div className="card">
        <div className="row">
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
        {isWaiting ? <Decide alertId={alert.id} /> : null}
      </div>
    </Section>
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

function Decide({ alertId }: { alertId: string }) {
  const [decision, setDecision] = useState("false_positive");
  const [reason, setReason] = useState("");
  return (
    <div className="form">
      <SelectField
        label={words.decision}
        value={decision}
        onChange={setDecision}
        options={Object.entries(words.decisions)}
        name="decision"
      />
      <ReasonField value={reason} onChange={setReason} />
      <div>
        <ConfirmStep
          label={words.save}
          text={words.effects[decision]}
          kind={decision === "true_match" ? "danger" : "primary"}
          isReady={isReason(reason)}
          step={(mutation) =>
            rpcs.review.decideAlert({
              mutation,
              alertId,
              reason: reason.trim(),
              decision: enumValue(Decision, decision),
            })
          }
          stale={stale}
        >
          {isReason(reason) ? <p className="break">{reason}</p> : <p>{t.steps.reasonHint}</p>}
        </ConfirmStep>
      </div>
    </div>
  );
}
