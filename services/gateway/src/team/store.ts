import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { KeyedHash, Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Db } from "mongodb";
import type { Stop } from "../keys/stops.ts";
import { comparedEmail } from "./rules/member.ts";
import type { MemberRole } from "./rules/role.ts";

const collectionName = "members";

/** Purpose of the email hashes, which find a member without reading emails. */
export const emailPurpose = "member emails";

/** A stored member of a merchant's team, with sealed name and email. */
export type MemberDocument = {
  _id: string;
  schema_version: 1;
  merchant_id: string;
  role: MemberRole;
  /** All operations that have set the role. */
  role_operations?: string[];
  /** JSON of name and email. */
  sealed_person: string;
  /** Keyed hash. Absent after removal, so that the email can be added again. */
  email_hash?: string;
  /** Identity at the provider of the person who accepted. Absent until then, and after removal. */
  subject?: { issuer: string; id: string };
  /** Set for members that the sandbox adds: the first sign-in with the email accepts. */
  is_seeded?: true;
  /** Last time the person chose this team among several. */
  chosen_at?: Date;
  /** The change by which this admin is leaving, and its expiry. One admin has to stay. */
  leaving?: { by: string; until: Date };
  signed_in_at: Date | null;
  removed_at: Date | null;
  removed_by?: StoredActor & { operation_id: string };
  /** Set by the removal: the choice for the member's orders, with its due time. */
  stop?: Stop;
  created_at: Date;
  created_by: StoredActor;
  /** Root of the key that invited the person. If absent, the member is a root. */
  root?: string;
  /** The operation that created it. Unique, so that a repeat finds the first result. */
  operation: { id: string };
};

export type MemberPerson = { readonly name: string; readonly email: string };

export type Members = {
  readonly collection: Collection<MemberDocument>;
  readonly sealer: Sealer;
  /** The first creates new hashes, the others find old ones. */
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

/** Sealed names and emails of members. */
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

/** A person signed in at the provider. `email` is set only if the provider has verified it. */
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

/** More teams than a person works for. The oldest are shown. */
const shownMax = 50;

/** Teams of a person: the last chosen one first, then the oldest. */
export async function membershipsOf(
  { collection }: Members,
  person: SignedInPerson,
): Promise<MemberDocument[]> {
  const found = collection.find({ ...subjectOf(person), removed_at: null });
  return found.sort({ chosen_at: -1, created_at: 1, _id: 1 }).limit(shownMax).toArray();
}

/** Oldest first. */
export async function invitationsOf(
  members: Members,
  person: SignedInPerson,
): Promise<MemberDocument[]> {
  const found = members.collection.find(invitedBy(members, person));
  return found.sort({ created_at: 1, _id: 1 }).limit(shownMax).toArray();
}

/**
 * Makes a person the member of an invitation. Returns `undefined` if there is no such invitation,
 * or if the person already belongs to that team: two memberships would count as two actors.
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

/** Removes the invitation. Returns `false` if there is none. */
export async function declineInvitation(
  members: Members,
  person: SignedInPerson,
  memberId: string,
  now: Date,
): Promise<boolean> {
  const declined = { $set: { removed_at: now }, $unset: { email_hash: "" } } as const;
  const { matchedCount } = await members.collection.updateOne(
    { _id: memberId, ...invitedBy(members, person) },
    declined,
  );
  return matchedCount === 1;
}

/** Accepts invitations that the sandbox's seed created, because its people are known. */
export async function acceptSeeded(
  members: Members,
  person: SignedInPerson,
  now: Date,
): Promise<void> {
  for (const { _id, is_seeded } of await invitationsOf(members, person)) {
    if (is_seeded === true) await acceptInvitation(members, person, _id, now);
  }
}

/** Records a sign-in, or the choice of this team among several. */
export async function noteSignIn(
  { collection }: Members,
  memberId: string,
  noted: { readonly signed_in_at: Date; readonly chosen_at?: Date },
): Promise<void> {
  await collection.updateOne({ _id: memberId, removed_at: null }, { $set: noted });
}

/** Returns `undefined` for a removed member. */
export async function findMember(
  { collection }: Members,
  id: string,
): Promise<MemberDocument | undefined> {
  return (await collection.findOne({ _id: id, removed_at: null })) ?? undefined;
}
