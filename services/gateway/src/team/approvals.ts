import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import { wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { MemberRole } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { type Mode, type Scope, secondPersonScopes } from "../keys/rules/key.ts";
import type { teamService } from "./rpc.ts";
import { scopesOf } from "./rules/role.ts";
import type { MemberDocument, Members } from "./store.ts";

type TeamRpc = Pick<ReturnType<typeof teamService>, "addMember" | "setMemberRole">;

const none: ReadonlySet<Scope> = new Set();

/** An operator who gives a live role with more rights over payouts needs a second person. */
export function teamGuards(deps: { members: Members; mode: Mode }): Guards<TeamRpc> {
  const { members, mode } = deps;
  const approvers = ["admin"] as const;
  const find = (member: { readonly merchantId: string; readonly memberId: string }) =>
    members.collection.findOne({ _id: member.memberId, merchant_id: member.merchantId });
  const reasonsOf = (role: MemberRole, before: MemberDocument | null): string[] => {
    const word = wordOf(MemberRole, role);
    const had = before === null ? none : scopesOf(before.role);
    const given = word === undefined ? none : scopesOf(word);
    const more = secondPersonScopes(given).filter((scope) => !had.has(scope));
    return mode === "live" && more.length > 0 ? [`a live role with ${more.join(", ")}`] : [];
  };
  return {
    addMember: {
      approvers,
      difference: async ({ email, name, role }) => ({
        before: "",
        after: JSON.stringify({ member: { email, name, role: wordOf(MemberRole, role) } }),
      }),
      reasons: async ({ role }) => reasonsOf(role, null),
    },
    setMemberRole: {
      approvers,
      difference: async (request) => {
        const member = await find(request);
        const [memberId, role] = [request.memberId, wordOf(MemberRole, request.role)];
        return {
          before: member === null ? "" : JSON.stringify({ memberId, role: member.role }),
          after: JSON.stringify({ memberId, role }),
        };
      },
      reasons: async (request) => reasonsOf(request.role, await find(request)),
    },
  };
}
