import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ApprovalPlace, answerOf, approvalsAt } from "../api/rpc.ts";
import { operatorTexts } from "../catalogue/operator-texts.ts";
import { Notice } from "../ui/notice.tsx";

export function ProposalNotice(props: { place: ApprovalPlace; proposalId: string }) {
  return (
    <Notice tone="warn">
      <p>{operatorTexts.treasury.approvals.waits}</p>
      <p>
        <Link to="/approvals/$place/$proposalId" params={props}>
          {operatorTexts.treasury.approvals.open}
        </Link>
      </p>
    </Notice>
  );
}

/** Reads the open proposals about a record that the person may see. */
export function OpenProposals({ place, subject }: { place: ApprovalPlace; subject: string }) {
  const { data } = useQuery({
    queryKey: ["approvals", place, "about", subject],
    queryFn: () =>
      answerOf(approvalsAt(place).listProposals({ subject, state: ProposalState.OPEN })),
  });
  return data?.proposals.map(({ id }) => <ProposalNotice key={id} place={place} proposalId={id} />);
}
