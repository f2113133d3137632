import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type ApprovalPlace, approvalsAt } from "../api/rpc.ts";
import { useOptionalAnswer } from "../api/use-answer.ts";
import { operatorTexts } from "../catalogue/operator-texts.ts";
import { Notice } from "../ui/notice.tsx";

const words = operatorTexts.treasury.approvals;

type Proposed = { readonly place: ApprovalPlace; readonly proposalId: string };

export const ProposalLink = ({ children, ...params }: Proposed & { children: ReactNode }) => (
  <Link to="/approvals/$place/$proposalId" params={params}>
    {children}
  </Link>
);

export const ProposalNotice = (props: Proposed) => (
  <Notice tone="warn">
    <p>{words.waits}</p>
    <p>
      <ProposalLink {...props}>{words.open}</ProposalLink>
    </p>
  </Notice>
);

/** Reads the open proposals about a record that the person may see. */
export function OpenProposals({ place, subject }: { place: ApprovalPlace; subject: string }) {
  const data = useOptionalAnswer(["approvals", place, "about", subject], () =>
    approvalsAt(place).listProposals({ subject, state: ProposalState.OPEN }),
  );
  return data?.proposals.map(({ id }) => (
    <ProposalNotice key={id} {...{ place, proposalId: id }} />
  ));
}
