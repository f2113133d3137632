import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import { Decision } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import type { reviewRpc } from "./rpc.ts";
import { type Alert, isPending } from "./rules/alert.ts";
import type { AlertStore } from "./store.ts";
import { describeAlert } from "./wire.ts";

/** Limits from which clearing a hit needs a second person. */
export type ClearingLimits = {
  /**
   * The score, between 0 and 1, from which a second person is needed. `undefined` disables this
   * limit.
   */
  readonly score: number | undefined;
  /** Clearing any hit of these lists needs a second person, whatever its score. */
  readonly lists: ReadonlySet<string>;
};

type ReviewRpc = Pick<ReturnType<typeof reviewRpc>, "decideAlert" | "reopenAlert">;

/**
 * Requires a second person to confirm a true match, to clear a grave hit, and to reopen a confirmed
 * true match.
 */
export function reviewGuards(
  alerts: Pick<AlertStore, "read">,
  limits: ClearingLimits,
): Guards<ReviewRpc> {
  const approvers = ["compliance_approver"] as const;
  const read = async (id: string) => (await alerts.read(id))?.alert;
  const describe = (alert: Alert | undefined) => (alert === undefined ? "" : describeAlert(alert));
  const reasonOf = (text: string) => orThrow(readReason(text));
  return {
    decideAlert: {
      approvers,
      isSole: true,
      difference: async ({ alertId, decision: value, reason }) => {
        const decision = enumName(Decision, value);
        return {
          before: describe(await read(alertId)),
          after: JSON.stringify({ alertId, decision, reason: reasonOf(reason) }),
        };
      },
      reasons: async ({ alertId, decision }) => {
        const alert = await read(alertId);
        // No approval is needed, because the RPC itself refuses an unknown or decided alert.
        if (alert === undefined || !isPending(alert.state)) return [];
        if (decision === Decision.TRUE_MATCH)
          return ["the request blocks a party until two persons reopen the alert"];
        return decision === Decision.FALSE_POSITIVE ? clearingReasons(alert, limits) : [];
      },
    },
    reopenAlert: {
      approvers,
      difference: async ({ alertId, reason }) => ({
        before: describe(await read(alertId)),
        after: JSON.stringify({ alertId, state: "open", reason: reasonOf(reason) }),
      }),
      reasons: async ({ alertId }) => {
        const alert = await read(alertId);
        return alert?.state.kind === "true_match"
          ? ["the request reopens a match that two persons confirmed"]
          : [];
      },
    },
  };
}

function clearingReasons({ detection }: Alert, { score, lists }: ClearingLimits): string[] {
  const { hit } = detection;
  return [
    ...(score !== undefined && hit.score >= score
      ? [`the request clears a hit with a score of at least ${score}`]
      : []),
    ...(lists.has(hit.list) ? [`the request clears a hit from the list ${hit.list}`] : []),
  ];
}
