import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { KeyedHash, Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, Db } from "mongodb";
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
  /** Name and email, as JSON. */
  sealed_person: string;
  /** Keyed; absent once the member is removed, so that the email may be added again. */
  email_hash?: string;
  /** Who it is at the provider, from the first sign-in on. */
  subject?: { issuer: string; id: string };
  signed_in_at: Date | null;
  removed_at: Date | null;
  removed_by?: StoredActor & { operation_id: string };
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

/**
 * The member that a person is: of a merchant where one is named, else the one that was added
 * first. A member who has not signed in before is found by the verified email, and is the person's
 * from then on.
 */
export async function memberOf(
  members: Members,
  { issuer, id, email }: SignedInPerson,
  merchantId: string | undefined,
  now: Date,
): Promise<MemberDocument | undefined> {
  const { collection, emailHashes } = members;
  const wanted = { removed_at: null, ...(merchantId !== undefined && { merchant_id: merchantId }) };
  const subject = { issuer, id };
  const byEmail = {
    email_hash: {
      $in: email === undefined ? [] : emailHashes().map((each) => hashText(each, email)),
    },
    subject: { $exists: false },
  };
  const found = await collection.findOneAndUpdate(
    { ...wanted, $or: [{ "subject.id": id, "subject.issuer": issuer }, byEmail] },
    { $set: { subject, signed_in_at: now } },
    { sort: { created_at: 1, _id: 1 }, returnDocument: "after" },
  );
  return found ?? undefined;
}

/** A member who has not been removed. */
export async function findMember(
  { collection }: Members,
  id: string,
): Promise<MemberDocument | undefined> {
  return (await collection.findOne({ _id: id, removed_at: null })) ?? undefined;
}
