import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { KeyedHash, Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Db } from "mongodb";
import type { Stop } from "../keys/stops.ts";
import { comparedEmail } from "./rules/member.ts";
import type { MemberRole } from "./rules/role.ts";

const collectionName = "members";

/** The purpose for which emails are hashed. The hash finds a member without decrypting emails. */
export const emailPurpose = "member emails";

/** A stored member of a merchant's team. Its name and email are encrypted. */
export type MemberDocument = {
  _id: string;
  schema_version: 1;
  merchant_id: string;
  role: MemberRole;
  /** Ids of all operations that have set the role. */
  role_operations?: string[];
  /** Sealed JSON with the name and the email. */
  sealed_person: string;
  /** Keyed hash of the email. Absent after the removal, so that the email can be invited again. */
  email_hash?: string;
  /**
   * The provider's identity of the person who accepted the invitation. Absent before the acceptance
   * and after the removal.
   */
  subject?: { issuer: string; id: string };
  /**
   * The provider's identity of the person who was this member, or who declined the invitation. It
   * resolves the member's id in the audit trail. Nothing is found by it.
   */
  former_subject?: { issuer: string; id: string };
  /**
   * Set for members that the sandbox creates. Such an invitation is accepted by the first sign-in
   * with its email.
   */
  is_seeded?: true;
  /** The last time at which the person chose this team. */
  chosen_at?: Date;
  /**
   * The mark of an admin who is leaving: the id of the change, and the mark's expiry. It ensures
   * that one admin stays.
   */
  leaving?: { by: string; until: Date };
  signed_in_at: Date | null;
  removed_at: Date | null;
  removed_by?: StoredActor & { operation_id: string };
  /**
   * Set when the member is removed. Contains the choice for the member's orders and the time of the
   * next run.
   */
  stop?: Stop;
  created_at: Date;
  created_by: StoredActor;
  /** The root of the key that invited the person. Absent if the member is its own root. */
  root?: string;
  /** The operation that created the member. The id is unique, so a repeat finds the same member. */
  operation: { id: string };
};

export type MemberPerson = { readonly name: string; readonly email: string };

export type Members = {
  readonly collection: Collection<MemberDocument>;
  readonly sealer: Sealer;
  /**
   * Hash functions for emails. The first hashes new emails. The others find hashes that older keys
   * created.
   */
  readonly emailHashes: () => readonly [KeyedHash, ...KeyedHash[]];
};

export function openMembers(db: Db, deps: Omit<Members, "collection">): Members {
  return { collection: db.collection<MemberDocument>(collectionName), ...deps };
}

const sealContext = (merchantId: string, id: string) => `${merchantId}|${id}|person`;

export function sealPerson(
  { sealer }: Members,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  person: MemberPerson,
): string {
  return sealer.seal(JSON.stringify(person), sealContext(merchantId, id));
}

export function personOf({ sealer }: Members, member: MemberDocument): MemberPerson {
  const { _id, merchant_id, sealed_person } = member;
  return JSON.parse(sealer.open(sealed_person, sealContext(merchant_id, _id))) as MemberPerson;
}

/** The place of the members' encrypted names and emails. */
export const sealedMembers: SealedPlace = {
  collection: collectionName,
  reseal: (document, sealer) => {
    const { _id, merchant_id, sealed_person: text } = document as unknown as MemberDocument;
    const context = sealContext(merchant_id, _id);
    return resealTexts([{ path: "sealed_person", text, context }], sealer);
  },
};

const hashText = ({ keyId, hash }: KeyedHash, email: string) =>
  `${keyId}.${hash(comparedEmail(email)).toString("base64url")}`;

/** Hashes a new member's email with the current key. */
export function emailHash({ emailHashes }: Members, email: string): string {
  return hashText(emailHashes()[0], email);
}

/**
 * A person as the provider identified them. `email` is set only if the provider has verified it.
 */
export type SignedInPerson = {
  readonly issuer: string;
  readonly id: string;
  readonly email: string | undefined;
};

const subjectOf = ({ issuer, id }: SignedInPerson) => ({
  "subject.id": id,
  "subject.issuer": issuer,
});

/** Finds a person's invitations by the verified email. */
function invitedBy({ emailHashes }: Members, { email }: SignedInPerson) {
  const hashes = email === undefined ? [] : emailHashes().map((each) => hashText(each, email));
  return { email_hash: { $in: hashes }, subject: { $exists: false }, removed_at: null };
}

/** Maximum teams that are shown. No person works for this many. */
const shownMax = 50;

/**
 * Returns the teams of a person. The team that the person chose last comes first. The others
 * follow, oldest first.
 */
export async function membershipsOf(
  { collection }: Members,
  person: SignedInPerson,
): Promise<MemberDocument[]> {
  const found = collection.find({ ...subjectOf(person), removed_at: null });
  return found.sort({ chosen_at: -1, created_at: 1, _id: 1 }).limit(shownMax).toArray();
}

/** Returns a person's invitations, oldest first. */
export async function invitationsOf(
  members: Members,
  person: SignedInPerson,
): Promise<MemberDocument[]> {
  const found = members.collection.find(invitedBy(members, person));
  return found.sort({ created_at: 1, _id: 1 }).limit(shownMax).toArray();
}

/**
 * Accepts an invitation for a person. Returns `undefined` if there is no such invitation, or if the
 * person already belongs to the team. With two memberships in one team, one person would count as
 * two actors.
 */
export async function acceptInvitation(
  members: Members,
  person: SignedInPerson,
  memberId: string,
  now: Date,
): Promise<MemberDocument | undefined> {
  const { issuer, id } = person;
  const accepted = { $set: { subject: { issuer, id }, signed_in_at: now } };
  let member: MemberDocument | null = null;
  await onceByKey(async () => {
    member = await members.collection.findOneAndUpdate(
      { _id: memberId, ...invitedBy(members, person) },
      accepted,
      { returnDocument: "after" },
    );
  });
  return member ?? undefined;
}

/** Declines an invitation by removing it. Returns `undefined` if there is none. */
export async function declineInvitation(
  members: Members,
  person: SignedInPerson,
  memberId: string,
  now: Date,
): Promise<MemberDocument | undefined> {
  const { issuer, id } = person;
  const removed = { removed_at: now, former_subject: { issuer, id } };
  const declined = await members.collection.findOneAndUpdate(
    { _id: memberId, ...invitedBy(members, person) },
    { $set: removed, $unset: { email_hash: "" } },
    { returnDocument: "after" },
  );
  return declined ?? undefined;
}

/** Accepts the invitations that the sandbox's seed created for a person. */
export async function acceptSeeded(
  members: Members,
  person: SignedInPerson,
  now: Date,
): Promise<void> {
  for (const { _id, is_seeded } of await invitationsOf(members, person)) {
    if (is_seeded === true) await acceptInvitation(members, person, _id, now);
  }
}

/** Records that a person signed in to this team or chose it. */
export async function noteSignIn(
  { collection }: Members,
  memberId: string,
  noted: { readonly signed_in_at: Date; readonly chosen_at?: Date },
): Promise<void> {
  await collection.updateOne({ _id: memberId, removed_at: null }, { $set: noted });
}

/** Finds a member. Returns `undefined` if the member was removed. */
export async function findMember(
  { collection }: Members,
  id: string,
): Promise<MemberDocument | undefined> {
  return (await collection.findOne({ _id: id, removed_at: null })) ?? undefined;
}
