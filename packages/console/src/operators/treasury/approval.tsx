import {
  type Proposal,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { Role } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { type ApprovalPlace, approvalPlaces, approvalsAt, isoOf } from "../../api/rpc.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole, operatorName } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { NotFound } from "../../shell/failures.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { TreasuryPayoutLink } from "../../ui/record-link.tsx";
import { Changes } from "../changes.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { MerchantName } from "../merchants.tsx";
import { proposedAction, proposedDifference } from "./proposals.ts";
import { Records } from "./records.tsx";

const words = operatorTexts.treasury.approvals;
const route = getRouteApi("/shell/approvals/$place/$proposalId");

export function ApprovalPage() {
  const { place: text, proposalId } = route.useParams();
  const place = approvalPlaces.find((each) => each === text) ?? "payout";
  const { proposal } = useAnswer(["approvals", place, proposalId], () =>
    approvalsAt(place).getProposal({ proposalId }),
  );
  if (proposal === undefined) return <NotFound />;
  const { merchantId } = proposal;
  const { changes, facts } = proposedDifference(proposal);
  return (
    <Page
      title={words.titleOf({ action: proposedAction(proposal) })}
      id={proposal.id}
      state={<StateBadge state={enumName(ProposalState, proposal.state)} words={words.states} />}
      actions={<Decide place={place} proposal={proposal} />}
    >
      <div className="card">
        <Facts
          rows={[
            [words.service, place],
            [words.by, operatorName(proposal.proposedBy?.id)],
            [
              operatorTexts.treasury.balances.merchant,
              merchantId && <MerchantName key="merchant" id={merchantId} />,
            ],
            [words.subject, <Subject key="subject" id={proposal.subject} />],
            [words.why, proposal.reasons.join("; ")],
            [t.list.created, <Moment key="created" at={isoOf(proposal.createdAt)} />],
            [words.expires, <Moment key="expires" at={isoOf(proposal.expiresAt)} />],
            [words.outcome, proposal.outcome],
          ]}
        />
      </div>
      <Section title={words.changes}>
        <Changes changes={changes} isCompared={proposal.before !== ""} />
        {facts.length === 0 ? null : (
          <div className="card">
            <strong>{words.unchanged}</strong>
            <Facts rows={facts} />
          </div>
        )}
        <Records {...proposal} />
      </Section>
    </Page>
  );
}

/** Shows the proposal's subject, linked if the console has a page for it. */
function Subject({ id }: { id: string }) {
  if (id.startsWith("po_")) return <TreasuryPayoutLink id={id} />;
  if (!id.startsWith("alr_")) return <span className="mono break">{id}</span>;
  return (
    <Link to="/compliance/alerts/$alertId" params={{ alertId: id }} className="mono break">
      {id}
    </Link>
  );
}

function Decide({ place, proposal }: { place: ApprovalPlace; proposal: Proposal }) {
  const session = useSession();
  if (proposal.state !== ProposalState.OPEN) return null;
  const { id: proposalId, contentDigest } = proposal;
  const client = approvalsAt(place);
  if (proposal.proposedBy?.id === session.person.id) {
    return (
      <ConfirmStep
        label={words.withdraw}
        text={words.withdrawText}
        step={(mutation) => client.withdrawProposal({ mutation, proposalId })}
      />
    );
  }
  if (!hasRole(session, ...proposal.approvers.map((role) => enumName(Role, role)))) return null;
  return (
    <>
      <ConfirmStep
        label={words.approve}
        text={words.approveText}
        kind="primary"
        step={(mutation) => client.approveProposal({ mutation, proposalId, contentDigest })}
      />
      <ConfirmStep
        label={words.reject}
        text={words.rejectText}
        step={(mutation, reason) => client.rejectProposal({ mutation, proposalId, reason })}
        needsReason
      />
    </>
  );
}
