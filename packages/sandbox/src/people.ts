import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import type { Role } from "@disburse/chassis/identity/principal.ts";
import { wordsOf } from "@disburse/chassis/rpc/enum-words.ts";
import { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { SignJWT } from "jose";

/** The issuer of the sandbox's persons, as their tokens name it. */
const issuer = "https://sandbox.disburse.invalid";
const audience = "disburse";
const keyId = "sandbox";

/** A person of the sandbox. */
export type Person = { readonly id: string; readonly roles: readonly Role[] };

/** Has every role: `grpc_token` of `sandbox.json` is of this person. */
export const everyRole: Person = { id: "sandbox", roles: wordsOf(RoleEnum) };

/** A new key of the sandbox's issuer, a private JWK. */
export function generateIssuerKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return JSON.stringify({ ...privateKey.export({ format: "jwk" }), kid: keyId });
}

/** The settings by which services believe the sandbox's issuer. */
export function issuerSettings(issuerKey: string) {
  const publicKey = createPublicKey(
    createPrivateKey({ key: JSON.parse(issuerKey), format: "jwk" }),
  );
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: keyId, alg: "EdDSA" };
  return {
    OIDC_ISSUER: issuer,
    OIDC_AUDIENCE: audience,
    OIDC_JWKS: JSON.stringify({ keys: [jwk] }),
  };
}

/** A token that names a person; good for `seconds` from when it was issued, now by default. */
export function personToken(
  issuerKey: string,
  { id, roles }: Person,
  seconds: number,
  issuedAt = new Date(),
): Promise<string> {
  const endsAt = new Date(issuedAt.getTime() + seconds * 1_000);
  return new SignJWT({ roles })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: keyId })
    .setIssuer(issuer)
    .setSubject(id)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(endsAt)
    .sign(createPrivateKey({ key: JSON.parse(issuerKey), format: "jwk" }));
}
