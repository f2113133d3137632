import type { Payout } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { payouts } from "../../api/lists.ts";
import { pathOf, readPage } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PayoutLink } from "../../ui/record-link.tsx";
import { momentText } from "../../ui/rules/times.ts";
import { actorName } from "../names.tsx";
import { Decision } from "./decision.tsx";

const words = t.payouts.one;

const isWaiting = ({ sub_status: state }: { sub_status: string }) => state === "awaiting_approval";

/** True if the payout was held while it waited for balance. No approval rule asks for it then. */
const isHeldWait = ({ expires_at: until }: Payout) => until !== undefined;

/** Shows the reasons and the expiry of an open approval, or the decision of a closed one. */
export function ApprovalNotice({ payout }: { payout: Payout }) {
  const { approval } = payout;
  if (approval === undefined) return null;
  const reasons = approval.reasons.map((each) => words.approvalReasons[each] ?? each).join(", ");
  const until = momentText(approval.expires_at);
  if (!isWaiting(payout)) {
    const at = approval.decided_at;
    return (
      <div className="card">
        <May scope="payout:approve">
          <NextApproval />
        </May>
        <Facts
          rows={[
            [words.approval, words.approvalStates[approval.state] ?? approval.state],
            [t.list.deciders, actorName(approval.decided_by)],
            [words.approvedAt, at === "" ? undefined : <Moment key="at" at={at} />],
            [words.rejectReason, approval.reason],
            [words.approvalWhy, reasons],
          ]}
        />
      </div>
    );
  }
  if (isHeldWait(payout)) return <Notice tone="warn">{words.heldNotice({ until })}</Notice>;
  return (
    <Notice tone="warn">
      <p>{words.awaitingNotice({ until })}</p>
      <p>{words.approvalBecause({ reasons })}</p>
    </Notice>
  );
}

/** After a decision, leads to the next one. */
function NextApproval() {
  const { data } = useQuery({
    queryKey: [payouts.path, "next approval"],
    queryFn: () => readPage(payouts, { sub_status: "awaiting_approval", limit: 1 }),
  });
  const [next] = data?.items ?? [];
  if (next === undefined) return null;
  return (
    <p>
      <PayoutLink id={next.id}>{words.nextApproval({ name: next.beneficiary_name })}</PayoutLink>
    </p>
  );
}

/** Approves only the content that the person saw, identified by its digest. */
export function Approval({ payout }: { payout: Payout }) {
  if (!isWaiting(payout)) return null;
  const ofWait = { approveText: words.approveWaitText, rejectText: words.rejectWaitText };
  return (
    <May scope="payout:approve">
      <Decision
        path={pathOf(payouts, payout.id)}
        texts={isHeldWait(payout) ? ofWait : words}
        approval={{ digest: payout.approval?.digest }}
      />
    </May>
  );
}
