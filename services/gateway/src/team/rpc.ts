import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { assertAsChecked, throwChanged } from "@disburse/chassis/approvals/checked.ts";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { findKept, insertWithin } from "@disburse/chassis/mongo/bound.ts";
import { findCountedPage, oldestFirst } from "@disburse/chassis/paging/page.ts";
import { type Change, readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type Member,
  MemberRole as MemberRoleEnum,
  MemberSchema,
  MemberState,
  type TeamService,
} from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { isId, newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Mode, type Scope, scopesToGive, secondPersonScopes } from "../keys/rules/key.ts";
import { type CarryOut, type Disposition, stopBy, tighten } from "../keys/stops.ts";
import { type MemberOrder, memberOrder } from "./rules/member.ts";
import { type MemberRole, scopesOf } from "./rules/role.ts";
import {
  acceptInvitation,
  declineInvitation,
  emailHash,
  type MemberDocument,
  type Members,
  personOf,
  sealPerson,
} from "./store.ts";

type TeamRpc = Pick<ReturnType<typeof teamService>, "addMember" | "setMemberRole">;

const none: ReadonlySet<Scope> = new Set();

export type TeamDeps = {
  readonly members: Members;
  readonly clock: Clock;
  /** Maximum members of a merchant's team, active and invited. */
  readonly membersMax: number;
  readonly endSessions: (memberId: string) => Promise<void>;
  readonly carryOut: CarryOut;
};

type MemberRefusal = Refused<
  "INVALID_REQUEST" | "RECORD_NOT_FOUND" | "ACCESS_FORBIDDEN" | "STATE_NOT_REACHABLE"
>;

const lastAdmin = refused(
  "STATE_NOT_REACHABLE",
  "The member is the last admin of this team. Another member must be an admin first.",
);

async function addMember(
  deps: TeamDeps,
  by: Change,
  order: MemberOrder,
): Promise<MemberDocument | MemberRefusal> {
  const { members, clock, membersMax } = deps;
  const { merchantId, email, name, role } = order;
  const excess = await exceedsRoot(deps, by, order);
  if (excess !== undefined) return excess;
  const id = newId("member", clock.now());
  const email_hash = emailHash(members, email);
  const document: MemberDocument = {
    _id: id,
    schema_version: 1,
    merchant_id: merchantId,
    role,
    sealed_person: sealPerson(members, { merchantId, id }, { name, email }),
    email_hash,
    signed_in_at: null,
    removed_at: null,
    created_at: clock.now(),
    created_by: by.actor,
    ...(by.actor.kind === "service" && { is_seeded: true }),
    ...(by.actor.kind === "api_key" && { root: rootOfActor(by.actor) }),
    operation: { id: by.operationId },
  };
  const before = { "operation.id": by.operationId, merchant_id: merchantId };
  const repeated = await findKept(members.collection, before);
  if (repeated !== null) return repeated;
  const of = { merchant_id: merchantId, removed_at: null };
  const inserted = await insertWithin(members.collection, document, { of, max: membersMax });
  if (inserted === "inserted") return document;
  const first = await findKept(members.collection, before);
  if (first !== null) return first;
  if (inserted === "exists") {
    const known = await members.collection.findOne({ merchant_id: merchantId, email_hash });
    const state = known?.subject === undefined ? "an invited" : "an active";
    return refused("STATE_NOT_REACHABLE", `The person is already ${state} member of this team.`);
  }
  return refused("INVALID_REQUEST", `There can be at most ${membersMax} team members.`);
}

/**
 * Duration of the mark of an admin who is leaving. A write takes less time. After a crash, the mark
 * expires.
 */
const leavingMs = 30_000;

/**
 * The condition under which a leaving admin's write takes effect. It fails if another change has
 * removed the admin's mark.
 */
type Mark = { readonly "leaving.by"?: string };

/**
 * Runs `write`, which removes or demotes an admin, if the team keeps another admin. An admin who
 * has accepted the invitation can leave only if another such admin stays. Each admin sets its own
 * mark before it looks for another admin without one. So two admins that leave at once can't both
 * succeed. A later change removes expired marks, so that a stalled write has no effect.
 */
async function leave<T>(
  { members: { collection }, clock }: TeamDeps,
  { _id, merchant_id, subject }: MemberDocument,
  write: (mark: Mark) => Promise<T>,
): Promise<T | typeof lastAdmin> {
  const now = clock.now();
  const by = crypto.randomUUID();
  const until = new Date(now.getTime() + leavingMs);
  const end = { $unset: { leaving: "" } } as const;
  await collection.updateMany({ merchant_id, "leaving.until": { $lte: now } }, end);
  await collection.updateOne({ _id }, { $set: { leaving: { by, until } } });
  const other = await collection.findOne({
    merchant_id,
    role: "admin",
    removed_at: null,
    _id: { $ne: _id },
    leaving: { $exists: false },
    ...(subject !== undefined && { subject: { $exists: true } }),
  });
  const left = other === null ? lastAdmin : await write({ "leaving.by": by });
  await collection.updateOne({ _id, "leaving.by": by }, end);
  return left;
}

/**
 * Refuses a role with scopes that the caller's root member doesn't have now. A member may have
 * created the calling key before its role was reduced.
 */
async function exceedsRoot(
  { members: { collection } }: TeamDeps,
  { actor }: Change,
  { merchantId, role }: { readonly merchantId: string; readonly role: MemberRole },
): Promise<Refused<"ACCESS_FORBIDDEN"> | undefined> {
  const root = rootOfActor(actor);
  if (actor.kind === "operator" || actor.kind === "service" || !isId("member", root)) {
    return undefined;
  }
  const member = await collection.findOne({ _id: root, merchant_id: merchantId, removed_at: null });
  if (member === null) return refusedBecause("ACCESS_FORBIDDEN", "scope_missing");
  return scopesToGive(scopesOf(member.role), scopesOf(role));
}

async function setRole(
  deps: TeamDeps,
  by: Change,
  { merchantId, memberId }: { readonly merchantId: string; readonly memberId: string },
  role: MemberRole | undefined,
): Promise<MemberDocument | MemberRefusal> {
  const { collection } = deps.members;
  if (role === undefined) {
    return refused("INVALID_REQUEST", "role: must be viewer, maker, approver or admin");
  }
  const excess = await exceedsRoot(deps, by, { merchantId, role });
  if (excess !== undefined) return excess;
  const mine = { _id: memberId, merchant_id: merchantId, removed_at: null };
  const before = await collection.findOne(mine);
  if (before === null) return refused("RECORD_NOT_FOUND");
  // A repeat of an operation returns the member unchanged. It must not restore a role that was
  // changed since, because a repeat needs no second person.
  const { operationId: role_operations } = by;
  if (before.role_operations?.includes(role_operations)) return before;
  assertAsChecked(roleJson(before));
  const change = async (mark: Mark = {}) =>
    (await collection.findOneAndUpdate(
      { ...mine, ...mark, role: before.role, role_operations: { $ne: role_operations } },
      { $set: { role }, $push: { role_operations } },
      { returnDocument: "after" },
    )) ??
    (await collection.findOne({ ...mine, role_operations })) ??
    orChanged(await collection.findOne(mine));
  return before.role === "admin" && role !== "admin" ? leave(deps, before, change) : change();
}

/** Returns the refusal for a missing member, and throws for one that changed since it was read. */
const orChanged = (member: MemberDocument | null) =>
  member === null ? refused("RECORD_NOT_FOUND") : throwChanged();

/** Describes a member's role as the guard does. */
const roleJson = ({ _id: memberId, role }: Pick<MemberDocument, "_id" | "role">) =>
  JSON.stringify({ memberId, role });

/**
 * Removes a member. A second removal doesn't change the removal time. The same write stores the
 * choice for the member's orders.
 */
async function removeMember(
  deps: TeamDeps,
  by: Change,
  { merchantId, memberId }: { readonly merchantId: string; readonly memberId: string },
  orders: Disposition,
) {
  const { members, clock, endSessions } = deps;
  const stop = stopBy(orders, by, clock.now());
  const mine = { _id: memberId, merchant_id: merchantId };
  const before = await members.collection.findOne(mine);
  if (before === null) return refused("RECORD_NOT_FOUND");
  if (before.removed_at === null) {
    const removed_by = { ...by.actor, operation_id: by.operationId };
    const change = async (mark: Mark = {}) => {
      const { matchedCount } = await members.collection.updateOne(
        { ...mine, removed_at: null, ...mark },
        {
          $set: { removed_at: clock.now(), removed_by, stop },
          $unset: { email_hash: "" },
          $rename: { subject: "former_subject" },
        },
      );
      // Either another call has removed the member in the meantime, or another change has removed
      // the mark.
      const member = await members.collection.findOne(mine);
      return matchedCount === 1 || member?.removed_at ? undefined : orChanged(member);
    };
    const left = before.role === "admin" ? await leave(deps, before, change) : await change();
    if (left !== undefined) return left;
  }
  await tighten(members.collection, mine, stop);
  // From now on the member's sessions are invalid, because each request of a session reads its
  // member.
  await endSessions(memberId);
  const member = await members.collection.findOne(mine);
  if (member === null) return refused("RECORD_NOT_FOUND");
  const stopped = { id: memberId, merchantId, stop: member.stop ?? stop };
  return { member, revocation: await deps.carryOut(stopped) };
}

function stateOf({ removed_at, subject }: MemberDocument): MemberState {
  if (removed_at !== null) return MemberState.REMOVED;
  return subject === undefined ? MemberState.INVITED : MemberState.ACTIVE;
}

function memberMessage(members: Members, member: MemberDocument): Member {
  const { signed_in_at, removed_at } = member;
  return create(MemberSchema, {
    id: member._id,
    merchantId: member.merchant_id,
    ...personOf(members, member),
    role: enumValue(MemberRoleEnum, member.role),
    state: stateOf(member),
    createdAt: timestampFromDate(member.created_at),
    ...(signed_in_at && { signedInAt: timestampFromDate(signed_in_at) }),
    ...(removed_at && { removedAt: timestampFromDate(removed_at) }),
  });
}

export function teamService(deps: TeamDeps): ServiceImpl<typeof TeamService> {
  const { members } = deps;
  const reply = (member: MemberDocument | MemberRefusal) => ({
    member: memberMessage(members, orThrow(member)),
  });
  return {
    addMember: async ({ mutation, role, ...fields }) => {
      const by = readMutation(mutation);
      const order = memberOrder({ ...fields, role: enumName(MemberRoleEnum, role) });
      return reply(isRefused(order) ? order : await addMember(deps, by, order));
    },
    setMemberRole: async ({ mutation, role, ...member }) => {
      const by = readMutation(mutation);
      return reply(await setRole(deps, by, member, enumName(MemberRoleEnum, role)));
    },
    removeMember: async ({ mutation, orders: requested, ...member }) => {
      const orders = enumName(RevokedOrders, requested) ?? "hold";
      const removed = await removeMember(deps, readMutation(mutation), member, orders);
      const { revocation, member: found } = orThrow(removed);
      return { ...reply(found), revocation };
    },
    answerInvitation: async ({ mutation, memberId, accept, person }) => {
      readMutation(mutation);
      const { issuer = "", subject: id = "", email = "" } = person ?? {};
      const by = { issuer, id, email: email === "" ? undefined : email };
      const answer = accept ? acceptInvitation : declineInvitation;
      const answered = await answer(members, by, memberId, deps.clock.now());
      return reply(answered ?? refused("RECORD_NOT_FOUND"));
    },
    listMembers: async ({ merchantId: merchant_id, ...page }) => {
      const order = oldestFirst;
      const all = members.collection;
      const { shown, ...rest } = await findCountedPage(all, { merchant_id }, page, { order });
      return { members: shown.map((each) => memberMessage(members, each)), ...rest };
    },
    listMailRecipients: async ({ merchantId: merchant_id }) => {
      const active = { merchant_id, removed_at: null, subject: { $exists: true } };
      const found = await members.collection.find(active).sort({ created_at: 1, _id: 1 }).toArray();
      const recipients = found.map((member) => ({
        memberId: member._id,
        email: personOf(members, member).email,
        scopes: [...scopesOf(member.role)],
      }));
      return { recipients };
    },
  };
}

/**
 * In live mode, an operator needs a second person's approval to give a member more payout scopes.
 */
export function teamGuards(deps: { members: Members; mode: Mode }): Guards<TeamRpc> {
  const { members, mode } = deps;
  const approvers = ["admin"] as const;
  const find = (member: { readonly merchantId: string; readonly memberId: string }) =>
    members.collection.findOne({ _id: member.memberId, merchant_id: member.merchantId });
  /** `before` is the description of the member, or "". */
  const reasonsOf = (role: MemberRoleEnum, before: string): string[] => {
    const name = enumName(MemberRoleEnum, role);
    const had = before === "" ? none : scopesOf(JSON.parse(before).role);
    const given = name === undefined ? none : scopesOf(name);
    const more = secondPersonScopes(given).filter((scope) => !had.has(scope));
    return mode === "live" && more.length > 0 ? [`a live role with ${more.join(", ")}`] : [];
  };
  return {
    addMember: {
      approvers,
      difference: async ({ email, name, role }) => ({
        before: "",
        after: JSON.stringify({ member: { email, name, role: enumName(MemberRoleEnum, role) } }),
      }),
      reasons: async ({ role }) => reasonsOf(role, ""),
    },
    setMemberRole: {
      approvers,
      difference: async (request) => {
        const member = await find(request);
        const [memberId, role] = [request.memberId, enumName(MemberRoleEnum, request.role)];
        return {
          before: member === null ? "" : roleJson(member),
          after: JSON.stringify({ memberId, role }),
        };
      },
      reasons: async ({ role }, _requester, { before }) => reasonsOf(role, before),
    },
  };
}
