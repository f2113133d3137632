import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { enumNames } from "@disburse/chassis/enum-names.ts";
import type { Role } from "@disburse/chassis/principal.ts";
import { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { SignJWT } from "jose";

/** The `iss` claim of tokens that the sandbox signs without a provider. */
const issuer = "https://sandbox.disburse.invalid";
const audience = "disburse";
const keyId = "sandbox";

export type Person = {
  readonly id: string;
  /** Absent for a person whom tests make up. */
  readonly name?: string;
  readonly roles: readonly Role[];
};

/** A person with every role. `grpc_token` in `sandbox.json` is this person's token. */
export const everyRole: Person = { id: "sandbox", roles: enumNames(RoleEnum) };

/**
 * The sandbox's operators. Proposers and approvers are different people, and every role is assigned
 * to somebody.
 */
export const sandboxPeople: readonly Person[] = [
  { id: "ada", name: "Ada Okoye", roles: ["treasury"] },
  { id: "bob", name: "Bob Lindqvist", roles: ["treasury_approver"] },
  { id: "carol", name: "Carol Meyer", roles: ["compliance_officer"] },
  { id: "dan", name: "Dan Rossi", roles: ["compliance_approver"] },
  { id: "erin", name: "Erin Walsh", roles: ["support", "auditor"] },
  { id: "frank", name: "Frank Silva", roles: ["admin", "developer_relations"] },
];

/** A member of a merchant's team. `role` is a value of `MemberRole`. */
export type SandboxMember = {
  readonly id: string;
  readonly name: string;
  readonly merchant: "acme" | "globex";
  readonly role: "viewer" | "maker" | "approver" | "admin";
};

export const sandboxMembers: readonly SandboxMember[] = [
  { id: "mia", name: "Mia Maker", merchant: "acme", role: "maker" },
  { id: "avi", name: "Avi Approver", merchant: "acme", role: "approver" },
  { id: "vera", name: "Vera Viewer", merchant: "acme", role: "viewer" },
  { id: "alma", name: "Alma Admin", merchant: "acme", role: "admin" },
  { id: "gus", name: "Gus Admin", merchant: "globex", role: "admin" },
];

/**
 * Returns the email address that identifies a member before the first sign-in. No mail can be
 * delivered to it (RFC 2606).
 */
export function emailOf({ id, merchant }: Pick<SandboxMember, "id" | "merchant">): string {
  return `${id}@${merchant}.example`;
}

/** The `acr` value of a sign-in with a password only. */
export const passwordAcr = "urn:disburse:acr:password";

/** The longest lifetime that live mode allows. */
export const accessTokenSeconds = 900;

export function generateIssuerKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return JSON.stringify({ ...privateKey.export({ format: "jwk" }), kid: keyId });
}

/**
 * Derives a secret of 256 bits for one purpose from the issuer's key. The result is the same at
 * every start.
 */
export function derivedSecret(issuerKey: string, purpose: string): Buffer {
  const { d = "" } = JSON.parse(issuerKey) as { d?: string };
  if (d === "") throw new TypeError("the key of the sandbox's issuer has no private part");
  return createHmac("sha256", Buffer.from(d, "base64url")).update(purpose).digest();
}

/** The length of a password in characters, which contain 120 bits. */
const passwordLength = 20;

/** Returns a password that differs for each person and data folder. */
export function passwordOf(issuerKey: string, id: string): string {
  return derivedSecret(issuerKey, `password:${id}`).toString("base64url").slice(0, passwordLength);
}

/**
 * Returns the settings that make services trust the sandbox's issuer, and the OpenID provider at
 * `url` if there is one. Both sign with the same key, so services need no connection to the
 * provider.
 */
export function issuerSettings(issuerKey: string, url?: string) {
  const publicKey = createPublicKey(
    createPrivateKey({ key: JSON.parse(issuerKey), format: "jwk" }),
  );
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: keyId, alg: "EdDSA" };
  return {
    OIDC_ISSUER: url === undefined ? issuer : `${issuer},${url}`,
    OIDC_AUDIENCE: audience,
    OIDC_JWKS: JSON.stringify({ keys: [jwk] }),
  };
}

export type TokenTimes = {
  readonly seconds: number;
  /** The time of issue. The default is now. */
  readonly issuedAt?: Date;
  /**
   * The time of the sign-in. Absent for a token without a provider. Services treat such a token as
   * a fresh sign-in.
   */
  readonly signedInAt?: Date | undefined;
};

export function personToken(
  issuerKey: string,
  { id, roles }: Person,
  { seconds, issuedAt = new Date(), signedInAt }: TokenTimes,
): Promise<string> {
  const endsAt = new Date(issuedAt.getTime() + seconds * 1_000);
  const signIn = signedInAt && {
    auth_time: Math.floor(signedInAt.getTime() / 1_000),
    acr: passwordAcr,
  };
  return new SignJWT({ roles, ...signIn })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: keyId })
    .setIssuer(issuer)
    .setSubject(id)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(endsAt)
    .sign(createPrivateKey({ key: JSON.parse(issuerKey), format: "jwk" }));
}

export function tokenOfRole(issuerKey: string, role: string): Promise<string> {
  const found = sandboxPeople.find(({ roles }) => (roles as readonly string[]).includes(role));
  if (found === undefined) {
    const known = sandboxPeople.flatMap(({ roles }) => roles).join(", ");
    throw new Error(`no person of the sandbox has the role "${role}"; the roles are ${known}`);
  }
  const times = { seconds: accessTokenSeconds, signedInAt: new Date() };
  return personToken(issuerKey, found, times);
}
