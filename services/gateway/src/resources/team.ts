import { enumValue } from "@disburse/chassis/enum-names.ts";
import {
  ListMembersResponseSchema,
  MemberRole,
  MemberSchema,
  MemberState,
  RemoveMemberRequestSchema,
  type RemoveMemberResponseSchema,
} from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { addMember, updateMember } from "@disburse/forms/bodies/team.ts";
import { isRefused, type Refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import { scopesToGive } from "../keys/rules/key.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { type Authorised, get, patch, post, type Resource, remove } from "../openapi/route.ts";
import { memberRoles, scopesOf } from "../team/rules/role.ts";
import { soundBody, textOf } from "./own-body.ts";
import { heldText, ordersQuery, revocation } from "./parts/revocation.ts";

const described = f.fields(MemberSchema, {
  id: f.id("mem", "Member id."),
  email: f.text("Verified address that the person accepts with.", "mia@merchant.example"),
  name: f.text("Name of the person.", "Mia Maker"),
  role: f.word(MemberRole, "Role of the member."),
  state: f.word(
    MemberState,
    "`invited`: has not accepted yet. `removed`: cannot sign in, and has no session.",
  ),
  created_at: f.moment("When the member was added."),
  signed_in_at: f.momentOrNone("Last sign-in; empty before the first one."),
  removed_at: f.momentOrNone("When the member was removed; empty otherwise."),
});

const member = f.component("TeamMember", "A person of your team.", described);

const removedMember = f.component<f.Shape<typeof RemoveMemberResponseSchema>>(
  "RemovedTeamMember",
  "A person who was removed from your team, and the outcome of the person's orders.",
  {
    ...f.within(({ member }) => member, described),
    revocation: f.from("revocation", f.ref(revocation)),
  },
);

const memberPage = f.pageOf(ListMembersResponseSchema, "TeamMemberPage", "members", member);

const path = "/api/v1/team/members";

/** Returns the role with this name. The form has already checked the name. */
const roleOf = (word: string) => memberRoles.find((each) => each === word) ?? "viewer";

/**
 * Checks that the caller may give the role. The caller needs all scopes of the role. A key with
 * networks or an expiry can't give a role, because members have no such limits.
 */
function mayGiveRole(call: Authorised): Refused<"ACCESS_FORBIDDEN"> | undefined {
  const values = soundBody(call);
  if (isRefused(values)) return undefined;
  const { scopes, sourceCidrs, endsAt } = call.caller;
  if (sourceCidrs.length > 0 || endsAt !== undefined) {
    return refusedBecause("ACCESS_FORBIDDEN", "key_limited");
  }
  return scopesToGive(scopes, scopesOf(roleOf(textOf(values, "role"))));
}

export const team: Resource = {
  scope: "team",
  tag: "Team members",
  components: [member, removedMember, memberPage],
  routes: [
    get("listTeamMembers", path, {
      summary: "List team members",
      description:
        "The members of your team, who sign in to the console, with their roles. Oldest first, those who were removed too.",
      query: q.page,
      data: memberPage,
      answer: ({ request }, { team }) => team.listMembers(request),
    }),
    post("addTeamMember", path, {
      summary: "Add team member",
      description:
        "Invites a person. They become active when they sign in to the console with that verified address and accept the invitation. The platform sends no message, so inform them yourself. You can give a role only if you have all of its scopes yourself. An API key with networks or an expiry time can't give a role; a member, or a key without them, can. A person whom an API key invites counts as one actor with that key. A merchant has at most 200 members.",
      body: { form: addMember },
      data: member,
      needsFreshSignIn: true,
      refusals: ["ACCESS_FORBIDDEN", "STATE_NOT_REACHABLE"],
      authorise: mayGiveRole,
      answer: async (call, { team }) => {
        const values = soundBody(call);
        if (isRefused(values)) return values;
        const role = roleOf(textOf(values, "role"));
        const [email, name] = [textOf(values, "email"), textOf(values, "name")];
        const added = { ...call.change, email, name, role: enumValue(MemberRole, role) };
        return (await team.addMember(added)).member;
      },
    }),
    patch("updateTeamMember", `${path}/:memberId`, {
      summary: "Change role of team member",
      description:
        "The new role applies from the member's next request. You can give a role only if you have all of its scopes yourself; an API key with networks or an expiry time can't give one. The last admin can't get another role; an admin who has not accepted yet does not count.",
      body: { form: updateMember },
      data: member,
      needsFreshSignIn: true,
      refusals: ["ACCESS_FORBIDDEN", "STATE_NOT_REACHABLE"],
      authorise: mayGiveRole,
      answer: async (call, { team }) => {
        const values = soundBody(call);
        if (isRefused(values)) return values;
        const role = roleOf(textOf(values, "role"));
        const changed = { ...call.change, role: enumValue(MemberRole, role) };
        return (await team.setMemberRole(changed)).member;
      },
    }),
    remove("removeTeamMember", `${path}/:memberId`, {
      summary: "Remove team member",
      description: `Ends the member's sessions at once. The last admin cannot be removed. You can add the person again, as a new member. API keys that the person created keep working, unless \`orders\` is \`cancel\`; \`revocation\` lists these keys.\n\n${heldText}`,
      query: q.queryOf(RemoveMemberRequestSchema, ordersQuery),
      data: removedMember,
      refusals: ["STATE_NOT_REACHABLE"],
      answer: ({ change }, { team }) => team.removeMember(change),
    }),
  ],
};
