import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { KeyedHash, Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Db } from "mongodb";
import type { Stop } from "../keys/stops.ts";
import { comparedEmail } from "./rules/member.ts";
import type { MemberRole } from "./rules/role.ts";

const collectionName = "members";

/** What emails are hashed for, so that one is found without being read. */
export const emailPurpose = "member emails";

/** A person of a merchant's team as it is stored: name and email sealed. */
export type MemberDocument = {
  _id: string;
  schema_version: 1;
  merchant_id: string;
  role: MemberRole;
  /** The operations that have set the role; none is forgotten. */
  role_operations?: string[];
  /** Name and email, as JSON. */
  sealed_person: string;
  /** Keyed; absent once the member is removed, so that the email may be added again. */
  email_hash?: string;
  /** The person at the provider who accepted the invitation; absent before, and once removed. */
  subject?: { issuer: string; id: string };
  /** Of a member whom the sandbox adds: the first sign-in with the email accepts. */
  is_seeded?: true;
  /** When the person last chose this team among several. */
  chosen_at?: Date;
  /** By which change this admin is leaving, and until when it counts: one admin has to stay. */
  leaving?: { by: string; until: Date };
  signed_in_at: Date | null;
  removed_at: Date | null;
  removed_by?: StoredActor & { operation_id: string };
  /** Set by the removal: the choice for the member's orders, and when it is due. */
  stop?: Stop;
  created_at: Date;
  created_by: StoredActor;
  /** The root of the key that invited the person; absent: the member is a root. */
  root?: string;
  /** What made it; unique, so that a repeat finds the first result. */
  operation: { id: string };
};

/** Who a member is. */
export type MemberPerson = { readonly name: string; readonly email: string };

/** The members of all merchants' teams. */
export type Members = {
  readonly collection: Collection<MemberDocument>;
  readonly sealer: Sealer;
  /** The first makes new hashes, the others find old ones. */
  readonly emailHashes: () => readonly [KeyedHash, ...KeyedHash[]];
};

/** Opens the collection of members. */
export function openMembers(db: Db, deps: Omit<Members, "collection">): Members {
  return { collection: db.collection<MemberDocument>(collectionName), ...deps };
}

const sealContext = (merchantId: string, id: string) => `${merchantId}|${id}|person`;

/** Seals who a member is. */
export function sealPerson(
  { sealer }: Members,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  person: MemberPerson,
): string {
  return sealer.seal(JSON.stringify(person), sealContext(merchantId, id));
}

/** Who a member is. */
export function personOf({ sealer }: Members, member: MemberDocument): MemberPerson {
  const { _id, merchant_id, sealed_person } = member;
  return JSON.parse(sealer.open(sealed_person, sealContext(merchant_id, _id))) as MemberPerson;
}

/** The sealed texts of members. */
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

/** What a new member's email is found by. */
export function emailHash({ emailHashes }: Members, email: string): string {
  return hashText(emailHashes()[0], email);
}

/** Who signed in at the provider; `email` is there where the provider has verified it. */
export type SignedInPerson = {
  readonly issuer: string;
  readonly id: string;
  readonly email: string | undefined;
};

const subjectOf = ({ issuer, id }: SignedInPerson) => ({
  "subject.id": id,
  "subject.issuer": issuer,
});

/** Finds what a person is invited to: by the verified email. */
function invitedBy({ emailHashes }: Members, { email }: SignedInPerson) {
  const hashes = email === undefined ? [] : emailHashes().map((each) => hashText(each, email));
  return { email_hash: { $in: hashes }, subject: { $exists: false }, removed_at: null };
}

/** More teams than a person works for; the oldest are shown. */
const shownMax = 50;

/** The teams of a person: the one that was chosen last first, then the oldest. */
export async function membershipsOf(
  { collection }: Members,
  person: SignedInPerson,
): Promise<MemberDocument[]> {
  const found = collection.find({ ...subjectOf(person), removed_at: null });
  return found.sort({ chosen_at: -1, created_at: 1, _id: 1 }).limit(shownMax).toArray();
}

/** The invitations of a person, oldest first. */
export async function invitationsOf(
  members: Members,
  person: SignedInPerson,
): Promise<MemberDocument[]> {
  const found = members.collection.find(invitedBy(members, person));
  return found.sort({ created_at: 1, _id: 1 }).limit(shownMax).toArray();
}

/**
 * Makes a person the member of an invitation. Nothing where there is no such invitation, or the
 * person is in that team already: two memberships would count as two actors.
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

/** Declines an invitation: it is removed; `false`: there is none. */
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

/** Accepts for a person what the sandbox's seed has added: its people are known to be there. */
export async function acceptSeeded(
  members: Members,
  person: SignedInPerson,
  now: Date,
): Promise<void> {
  for (const { _id, is_seeded } of await invitationsOf(members, person)) {
    if (is_seeded === true) await acceptInvitation(members, person, _id, now);
  }
}

/** Notes that a person signed in as a member, or chose this team among several. */
export async function noteSignIn(
  { collection }: Members,
  memberId: string,
  noted: { readonly signed_in_at: Date; readonly chosen_at?: Date },
): Promise<void> {
  await collection.updateOne({ _id: memberId, removed_at: null }, { $set: noted });
}

/** A member who has not been removed. */
export async function findMember(
  { collection }: Members,
  id: string,
): Promise<MemberDocument | undefined> {
  return (await collection.findOne({ _id: id, removed_at: null })) ?? undefined;
}
