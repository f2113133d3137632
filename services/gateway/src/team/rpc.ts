import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { insertWithin } from "@disburse/chassis/mongo/bound.ts";
import { valueOfWord, wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { type Change, readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type Member,
  MemberRole as MemberRoleEnum,
  MemberSchema,
  MemberState,
  type TeamService,
} from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type MemberOrder, memberOrder } from "./rules/member.ts";
import type { MemberRole } from "./rules/role.ts";
import { emailHash, type MemberDocument, type Members, personOf, sealPerson } from "./store.ts";

/** What teams are kept with. */
export type TeamDeps = {
  readonly members: Members;
  readonly clock: Clock;
  /** Members of a merchant's team at a time, those who are invited included. */
  readonly membersMax: number;
  /** Ends the sessions of a member who was removed. */
  readonly endSessions: (memberId: string) => Promise<void>;
};

type MemberRefusal = Refused<"INVALID_REQUEST" | "RECORD_NOT_FOUND">;

const lastAdmin = refused("INVALID_REQUEST", "member_id: is the merchant's last admin");
const alreadyMember = refused("INVALID_REQUEST", "email: is a member of this team already");

async function addMember(
  { members, clock, membersMax }: TeamDeps,
  by: Change,
  order: MemberOrder,
): Promise<MemberDocument | MemberRefusal> {
  const { merchantId, email, name, role } = order;
  const id = newId("member", clock.now());
  const document: MemberDocument = {
    _id: id,
    schema_version: 1,
    merchant_id: merchantId,
    role,
    sealed_person: sealPerson(members, { merchantId, id }, { name, email }),
    email_hash: emailHash(members, email),
    signed_in_at: null,
    removed_at: null,
    created_at: clock.now(),
    created_by: by.actor,
    ...(by.actor.kind === "api_key" && { root: by.actor.root ?? by.actor.id }),
    operation: { id: by.operationId },
  };
  const before = { "operation.id": by.operationId, merchant_id: merchantId };
  const repeated = await members.collection.findOne(before);
  if (repeated !== null) return repeated;
  const of = { merchant_id: merchantId, removed_at: null };
  const inserted = await insertWithin(members.collection, document, { of, max: membersMax });
  if (inserted === "inserted") return document;
  const first = await members.collection.findOne(before);
  if (first !== null) return first;
  if (inserted === "exists") return alreadyMember;
  return refused("INVALID_REQUEST", `There can be at most ${membersMax} team members.`);
}

/**
 * Whether a merchant has another admin than this member. Two admins who take each other's role at
 * the same moment can leave none: an operator then adds one.
 */
async function hasOtherAdmin({ members }: TeamDeps, member: MemberDocument): Promise<boolean> {
  const { _id, merchant_id } = member;
  const other = { merchant_id, role: "admin", removed_at: null, _id: { $ne: _id } } as const;
  return (await members.collection.findOne(other, { projection: { _id: 1 } })) !== null;
}

async function setRole(
  deps: TeamDeps,
  { merchantId, memberId }: { readonly merchantId: string; readonly memberId: string },
  role: MemberRole | undefined,
): Promise<MemberDocument | MemberRefusal> {
  const { collection } = deps.members;
  if (role === undefined) {
    return refused("INVALID_REQUEST", "role: must be viewer, maker, approver or admin");
  }
  const mine = { _id: memberId, merchant_id: merchantId, removed_at: null };
  const before = await collection.findOne(mine);
  if (before === null) return refused("RECORD_NOT_FOUND");
  const isDemoted = before.role === "admin" && role !== "admin";
  if (isDemoted && !(await hasOtherAdmin(deps, before))) return lastAdmin;
  const change = { $set: { role } };
  const after = await collection.findOneAndUpdate(mine, change, { returnDocument: "after" });
  return after ?? refused("RECORD_NOT_FOUND");
}

/** Removes a member; the first time stays. */
async function removeMember(
  deps: TeamDeps,
  by: Change,
  { merchantId, memberId }: { readonly merchantId: string; readonly memberId: string },
): Promise<MemberDocument | MemberRefusal> {
  const { members, clock, endSessions } = deps;
  const mine = { _id: memberId, merchant_id: merchantId };
  const before = await members.collection.findOne(mine);
  if (before === null) return refused("RECORD_NOT_FOUND");
  if (before.removed_at === null) {
    if (before.role === "admin" && !(await hasOtherAdmin(deps, before))) return lastAdmin;
    const removed_by = { ...by.actor, operation_id: by.operationId };
    await members.collection.updateOne(
      { ...mine, removed_at: null },
      { $set: { removed_at: clock.now(), removed_by }, $unset: { email_hash: "" } },
    );
  }
  // Each request of a session asks for its member, so that none works from here on.
  await endSessions(memberId);
  return (await members.collection.findOne(mine)) ?? refused("RECORD_NOT_FOUND");
}

function stateOf({ removed_at, subject }: MemberDocument): MemberState {
  if (removed_at !== null) return MemberState.REMOVED;
  return subject === undefined ? MemberState.INVITED : MemberState.ACTIVE;
}

/** A member as operators and the merchant's own team see it. */
function memberMessage(members: Members, member: MemberDocument): Member {
  const { signed_in_at, removed_at } = member;
  return create(MemberSchema, {
    id: member._id,
    merchantId: member.merchant_id,
    ...personOf(members, member),
    role: valueOfWord(MemberRoleEnum, member.role),
    state: stateOf(member),
    createdAt: timestampFromDate(member.created_at),
    ...(signed_in_at && { signedInAt: timestampFromDate(signed_in_at) }),
    ...(removed_at && { removedAt: timestampFromDate(removed_at) }),
  });
}

/** `TeamService`: parse, change, reply. */
export function teamService(deps: TeamDeps): ServiceImpl<typeof TeamService> {
  const { members } = deps;
  const reply = (member: MemberDocument | MemberRefusal) => ({
    member: memberMessage(members, orThrow(member)),
  });
  return {
    addMember: async ({ mutation, role, ...fields }) => {
      const by = readMutation(mutation);
      const order = memberOrder({ ...fields, role: wordOf(MemberRoleEnum, role) });
      return reply(isRefused(order) ? order : await addMember(deps, by, order));
    },
    setMemberRole: async ({ mutation, role, ...member }) => {
      readMutation(mutation);
      return reply(await setRole(deps, member, wordOf(MemberRoleEnum, role)));
    },
    removeMember: async ({ mutation, ...member }) =>
      reply(await removeMember(deps, readMutation(mutation), member)),
    listMembers: async ({ merchantId }) => {
      const found = members.collection.find({ merchant_id: merchantId });
      const all = await found.sort({ created_at: 1, _id: 1 }).toArray();
      return { members: all.map((each) => memberMessage(members, each)) };
    },
  };
}
