import { hash, type KeyObject } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { textProblem } from "@disburse/kernel/text.ts";
import { decodeJwt, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { enumNames } from "../enum-names.ts";
import type { ManualUse, Principal, Role, SignIn } from "../principal.ts";
import type { TrustedKeys } from "./keys.ts";
import { serviceTokenSeconds, spiffeId } from "./service-tokens.ts";
import { clockToleranceSeconds } from "./step-up.ts";

/** The accepted issuer of persons' tokens. */
export type PersonIssuer = {
  /** Accepted `iss` values; they share their keys. */
  readonly issuers: readonly string[];
  /** The required audience of the tokens. */
  readonly audience: string;
  /** The claim that lists a person's roles. */
  readonly rolesClaim: string;
  /** Returns the issuer's key for a token's header; may reject if the issuer doesn't reply. */
  readonly keyOf: (header: { readonly kid?: string; readonly alg?: string }) => Promise<CryptoKey>;
  /** True in the sandbox only: a token without a sign-in counts as a fresh sign-in. */
  readonly exemptWithoutSignIn: boolean;
  /** Tokens with a longer lifetime are refused; unbounded in the sandbox. */
  readonly lifetimeMaxSeconds: number;
};

export type VerifierOptions = {
  readonly service: string;
  readonly trustDomain: string;
  /** The current keys of the services: changed files are read again. */
  readonly trustedKeys: () => TrustedKeys;
  /** Absent if persons have no access. */
  readonly persons?: PersonIssuer | undefined;
};

/** Returns the caller from the header `authorization`; throws UNAUTHENTICATED, or UNAVAILABLE. */
export type Verify = (authorization: string | null | undefined) => Principal | Promise<Principal>;

/** Verified tokens that are remembered. */
const rememberedMax = 4_096;
/** A removed key stays valid for at most this long, if its file is not read earlier. */
const rememberedMs = 60_000;

type Verified = { readonly principal: Principal; readonly keys: TrustedKeys };

/**
 * Verifies signed tokens. A verified token is remembered by its hash for up to a minute, while it
 * is valid and the services' keys are unchanged: a look-up costs a hundredth of a verification.
 */
export function createVerifier(options: VerifierOptions): Verify {
  const { trustDomain, trustedKeys } = options;
  const remembered = new LRUCache<string, Verified>({ max: rememberedMax });
  const verifyAnew = async (token: string, digest: string): Promise<Principal> => {
    const keys = trustedKeys();
    const isService = issuerOf(token)?.startsWith(spiffeId(trustDomain, "")) ?? false;
    const verified = isService
      ? verifyService(token, keys, options)
      : verifyPerson(token, options.persons);
    const { principal, expiresAt } = await verified.catch((error: unknown) => {
      throw refusalOf(error);
    });
    const ttl = Math.min(rememberedMs, (expiresAt + clockToleranceSeconds) * 1_000 - Date.now());
    if (ttl > 0) remembered.set(digest, { principal, keys }, { ttl });
    return principal;
  };
  return (authorization) => {
    const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw unauthenticated("a token is missing");
    const digest = hash("sha256", token, "base64url");
    const known = remembered.get(digest);
    if (known !== undefined && known.keys === trustedKeys()) return known.principal;
    return verifyAnew(token, digest);
  };
}

type Accepted = { readonly principal: Principal; readonly expiresAt: number };

async function verifyService(
  token: string,
  keys: TrustedKeys,
  { service, trustDomain }: VerifierOptions,
): Promise<Accepted> {
  let signer = "";
  const keyOf = ({ kid = "" }: { kid?: string }): KeyObject => {
    const trusted = keys.get(kid);
    if (trusted === undefined) throw unauthenticated("the token's key is not trusted");
    signer = trusted.service;
    return trusted.publicKey;
  };
  const { payload } = await jwtVerify(token, keyOf, {
    ...verifyOptions(["EdDSA"], ["iat", "sub"]),
    audience: spiffeId(trustDomain, service),
    maxTokenAge: serviceTokenSeconds,
  });
  // A service may sign only for itself.
  const self = spiffeId(trustDomain, signer);
  if (payload.iss !== self || payload.sub !== self) {
    throw unauthenticated("the token's key is another service's");
  }
  const operator = manualUseOf(payload);
  const principal = { kind: "service", name: signer, ...(operator && { operator }) } as const;
  return { principal, expiresAt: payload.exp ?? 0 };
}

/** Fits in an entry of the audit trail. */
const reasonLengthMax = 500;

/** Reads the operator from a token that `rpc.mjs --to` signed: `act` (RFC 8693) and `reason`. */
function manualUseOf({ act, reason }: JWTPayload): ManualUse | undefined {
  if (act === undefined && reason === undefined) return undefined;
  const person = typeof act === "object" && act !== null && "sub" in act ? act.sub : undefined;
  const isPerson = typeof person === "string" && subjectPattern.test(person);
  const isReason = typeof reason === "string" && reason.trim() !== "";
  if (!isPerson || !isReason || reason.length > reasonLengthMax || textProblem(reason)) {
    throw unauthenticated("the token's act and reason are not accepted");
  }
  return { person, reason };
}

/** Accepted algorithms of access tokens; none with a shared secret. */
const personAlgorithms = ["EdDSA", "Ed25519", "ES256", "RS256", "PS256"];
const subjectPattern = /^[\x21-\x7e]{1,128}$/;
const allRoles: ReadonlySet<string> = new Set(enumNames(RoleEnum));

async function verifyPerson(token: string, persons: PersonIssuer | undefined): Promise<Accepted> {
  if (persons === undefined) throw unauthenticated("the token's issuer is not trusted");
  const { issuers, audience, rolesClaim, keyOf, lifetimeMaxSeconds } = persons;
  const options = verifyOptions(personAlgorithms, ["iat", "sub"]);
  const accepted = { ...options, issuer: [...issuers], audience };
  const { payload } = await jwtVerify(token, keyOf, accepted);
  const { sub = "", exp = 0, iat = 0 } = payload;
  if (!subjectPattern.test(sub)) throw unauthenticated("the token names no person");
  if (iat > Date.now() / 1_000 + clockToleranceSeconds) {
    throw unauthenticated("the token's iat is not accepted");
  }
  if (exp - iat > lifetimeMaxSeconds) throw unauthenticated("the token's lifetime is too long");
  const exempt = persons.exemptWithoutSignIn ? ("exempt" as const) : undefined;
  const signIn = signInOf(payload) ?? exempt;
  const roles = rolesOf(payload, rolesClaim);
  const principal = { kind: "person", id: sub, roles, ...(signIn && { signIn }) } as const;
  return { principal, expiresAt: exp };
}

function rolesOf(payload: JWTPayload, claim: string): ReadonlySet<Role> {
  const claimed = payload[claim];
  const words: unknown[] = Array.isArray(claimed) ? claimed : [];
  return new Set(words.filter((word): word is Role => allRoles.has(String(word))));
}

/** Reads the sign-in from a token's `auth_time`. */
function signInOf({ auth_time: at, acr }: JWTPayload): SignIn | undefined {
  if (typeof at !== "number" || !Number.isFinite(at)) return undefined;
  return { atSeconds: at, acr: typeof acr === "string" ? acr : "" };
}

function verifyOptions(algorithms: string[], requiredClaims: string[]): JWTVerifyOptions {
  const clockTolerance = clockToleranceSeconds;
  return { algorithms, requiredClaims: [...requiredClaims, "exp"], clockTolerance };
}

/** The issuer that a token names; absent if it names none, or is malformed. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Explains a token's refusal without any part of the token. */
function refusalOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof errors.JWTExpired) return unauthenticated("the token has expired");
  if (error instanceof errors.JWTClaimValidationFailed) {
    return unauthenticated(`the token's ${error.claim} is not accepted`);
  }
  if (error instanceof errors.JOSEError && !isUnreachable(error)) {
    return unauthenticated("the token is not signed by a trusted key");
  }
  return new ConnectError("the keys of the issuer cannot be fetched", Code.Unavailable);
}

/** True if the key set could not be fetched, which says nothing about the token. */
function isUnreachable(error: InstanceType<typeof errors.JOSEError>): boolean {
  return error instanceof errors.JWKSTimeout || error.code === "ERR_JOSE_GENERIC";
}

const unauthenticated = (message: string) => new ConnectError(message, Code.Unauthenticated);
