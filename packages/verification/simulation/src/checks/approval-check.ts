import type { Platform } from "../platform.ts";
import type { Document } from "../store/value.ts";
import type { MerchantControls } from "../workload/controls.ts";
import type { Workload } from "../workload/workload.ts";
import { payoutsIn } from "./payouts.ts";

type Actor = { readonly kind: string; readonly id: string; readonly root?: string };
type StoredDecision = {
  readonly as: string;
  readonly by?: Actor;
  readonly operation_id?: string;
};

/**
 * Requires that each payout to which its merchant's rules apply was approved by another actor
 * before payment. Rejected or expired payouts must never be sent. Answers to approvers must be
 * true.
 */
export function wrongApprovals(platform: Platform, workload: Workload): string[] {
  const payouts = payoutsIn(platform.databases.payout);
  const byId = new Map(payouts.map((each) => [each._id, each]));
  return [
    ...payouts.flatMap((payout) => wrongPayout(platform, workload, payout)),
    ...splitPayouts(platform, workload, payouts),
    ...platform.approvers.decisions.flatMap(({ payoutId, as, operationId, answers }) => {
      const { decision, stage } = decidedAs(byId.get(payoutId));
      const isOwn = decision?.operation_id === operationId && decision.as === as;
      const isEnded = as === "approved" || stage === "cancelled";
      if (!answers.includes("decided") || (isOwn && isEnded)) return [];
      return [`${payoutId} was answered to be ${as}, and is ${stage}, ${decision?.as}`];
    }),
  ];
}

function wrongPayout({ railState, beneficiaries }: Platform, workload: Workload, payout: Document) {
  const { decision, stage } = decidedAs(payout);
  const controls = workload.controls.get(String(payout.merchant_id));
  const created = beneficiaries.get(String(payout.beneficiary_id))?.createdAt ?? new Date(0);
  const isCaught = controls !== undefined && needsApproval(controls, payout, created);
  const isWaiting = payout.approval !== undefined;
  // The rule is tested for this payout alone. Together with other payouts in the window, it may
  // need approval too.
  const mayWait = isCaught || (controls?.minimum !== undefined && controls.windowSeconds > 0);
  const isSent = railState.transfers.has(String(payout._id));
  const maker = payout.actor as Actor;
  const { by } = decision ?? {};
  const isByAnother = by !== undefined && (by.root ?? by.id) !== maker.id;
  const isApproved = decision?.as === "approved" && isByAnother;
  const isRefused = decision?.as === "rejected" || decision?.as === "expired";
  const say = (isWrong: boolean, what: string) => (isWrong ? [`${payout._id} ${what}`] : []);
  return [
    ...say(isCaught && !isWaiting, "needs an approval and has none"),
    ...say(isWaiting && !mayWait, "needs no approval and has one"),
    ...say(
      (isCaught || isWaiting) && isSent && !isApproved,
      "was sent and no one but its maker approved it",
    ),
    ...say(isRefused && isSent, `was ${decision?.as} by its approvers, and sent`),
    ...say(isRefused && stage !== "cancelled", `was ${decision?.as}, and is ${stage}`),
    ...say(stage === "awaiting_approval", "waits for an approval without end"),
  ];
}

/**
 * Finds payouts without approval that together exceed a rule with a window, to one destination or
 * by one actor. Uses half of the window, because a payout's claim is later than the time at which
 * the rule counts it.
 */
function splitPayouts(
  { beneficiaries }: Platform,
  { controls }: Workload,
  payouts: readonly Document[],
): string[] {
  const passed = payouts.filter(({ approval, status }) => {
    return approval === undefined && status !== "failed";
  });
  const timeOf = ({ created_at }: Document) => (created_at as Date).getTime();
  const destinationOf = ({ beneficiary_id }: Document) =>
    beneficiaries.get(String(beneficiary_id))?.destination;
  const rootOf = ({ actor }: Document) => (actor as Actor).root ?? (actor as Actor).id;
  return [destinationOf, rootOf].flatMap((subjectOf) => {
    const groups = Map.groupBy(passed, (each) => `${each.merchant_id} ${subjectOf(each)}`);
    return [...groups.values()].flatMap((all) =>
      all.flatMap((last) => {
        const { minimum, windowSeconds = 0 } = controls.get(String(last.merchant_id)) ?? {};
        if (minimum === undefined || windowSeconds === 0) return [];
        const since = timeOf(last) - windowSeconds * 500;
        const together = all.filter((each) => timeOf(each) > since && timeOf(each) <= timeOf(last));
        const sum = together.reduce((total, each) => total + BigInt(String(each.source_minor)), 0n);
        return sum < minimum ? [] : [`${last._id} passed a rule's window with others before it`];
      }),
    );
  });
}

const dayMs = 86_400_000;

function needsApproval(
  { minimum, newBeneficiaryDays }: MerchantControls,
  { source_minor, created_at }: Document,
  beneficiaryCreatedAt: Date,
): boolean {
  const isLarge = minimum !== undefined && BigInt(String(source_minor)) >= minimum;
  const ageMs = (created_at as Date).getTime() - beneficiaryCreatedAt.getTime();
  return isLarge || ageMs < newBeneficiaryDays * dayMs;
}

function decidedAs(payout: Document | undefined) {
  const approval = payout?.approval as { decision?: StoredDecision } | undefined;
  const progress = payout?.progress as { stage: string } | undefined;
  return { decision: approval?.decision, stage: progress?.stage };
}
