import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { wordsOf } from "@disburse/chassis/enum-words.ts";
import type { Role } from "@disburse/chassis/principal.ts";
import { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { SignJWT } from "jose";

/** The issuer of tokens that the sandbox makes by itself, as they name it. */
const issuer = "https://sandbox.disburse.invalid";
const audience = "disburse";
const keyId = "sandbox";

/** A person of the sandbox. */
export type Person = { readonly id: string; readonly roles: readonly Role[] };

/** Has every role: `grpc_token` of `sandbox.json` is of this person. */
export const everyRole: Person = { id: "sandbox", roles: wordsOf(RoleEnum) };

/** The team of the sandbox: who proposes is not who approves, and each role has somebody. */
export const sandboxPeople: readonly Person[] = [
  { id: "ada", roles: ["treasury"] },
  { id: "bob", roles: ["treasury_approver"] },
  { id: "carol", roles: ["compliance_officer"] },
  { id: "dan", roles: ["compliance_approver"] },
  { id: "erin", roles: ["support", "auditor"] },
  { id: "frank", roles: ["admin", "developer_relations"] },
];

/** A person of a merchant's team in the sandbox; `role` is that of `MemberRole`. */
export type SandboxMember = {
  readonly id: string;
  readonly name: string;
  readonly merchant: "acme" | "globex";
  readonly role: "viewer" | "maker" | "approver" | "admin";
};

/** The teams of the sandbox's merchants. */
export const sandboxMembers: readonly SandboxMember[] = [
  { id: "mia", name: "Mia Maker", merchant: "acme", role: "maker" },
  { id: "avi", name: "Avi Approver", merchant: "acme", role: "approver" },
  { id: "vera", name: "Vera Viewer", merchant: "acme", role: "viewer" },
  { id: "alma", name: "Alma Admin", merchant: "acme", role: "admin" },
  { id: "gus", name: "Gus Admin", merchant: "globex", role: "admin" },
];

/** The address by which a member is known before the first sign-in; it leads nowhere (RFC 2606). */
export function emailOf({ id, merchant }: Pick<SandboxMember, "id" | "merchant">): string {
  return `${id}@${merchant}.example`;
}

/** How a person of the sandbox signs in: by a password alone, as `acr` says it. */
export const passwordAcr = "urn:disburse:acr:password";

/** The access tokens of persons are good for so long: as long as live mode allows. */
export const accessTokenSeconds = 900;

/** A new key of the sandbox's issuer, a private JWK. */
export function generateIssuerKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return JSON.stringify({ ...privateKey.export({ format: "jwk" }), kid: keyId });
}

/** A secret of a purpose that is made from the issuer's key: 256 bits, the same at each start. */
export function derivedSecret(issuerKey: string, purpose: string): Buffer {
  const { d = "" } = JSON.parse(issuerKey) as { d?: string };
  if (d === "") throw new TypeError("the issuer's key has no private part");
  return createHmac("sha256", Buffer.from(d, "base64url")).update(purpose).digest();
}

/** 120 bits. */
const passwordLength = 20;

/** The password of a person of the sandbox, another one in each data folder. */
export function passwordOf(issuerKey: string, id: string): string {
  return derivedSecret(issuerKey, `password:${id}`).toString("base64url").slice(0, passwordLength);
}

/**
 * The settings by which services believe the sandbox's issuer, and the OpenID provider at `url`
 * where there is one: it signs with the same key. No service has to reach it.
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

/** Until when a token is good, and whether somebody signed in for it. */
export type TokenTimes = {
  readonly seconds: number;
  /** Now by default. */
  readonly issuedAt?: Date;
  /** Left out where the sandbox makes the token by itself: it counts as a fresh sign-in there. */
  readonly signedInAt?: Date | undefined;
};

/** A token that names a person. */
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

/** An access token of the sandbox's person of a role; throws where no person has that. */
export function tokenOfRole(issuerKey: string, role: string): Promise<string> {
  const found = sandboxPeople.find(({ roles }) => (roles as readonly string[]).includes(role));
  if (found === undefined) {
    const known = sandboxPeople.flatMap(({ roles }) => roles).join(", ");
    throw new Error(`the sandbox has no person of the role "${role}"; it has ${known}`);
  }
  const times = { seconds: accessTokenSeconds, signedInAt: new Date() };
  return personToken(issuerKey, found, times);
}
