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
  /** Accepted `iss` values. All of them have the same keys. */
  readonly issuers: readonly string[];
  /** The required audience of the tokens. */
  readonly audience: string;
  /** The claim that lists a person's roles. */
  readonly rolesClaim: string;
  /** Returns the issuer's key for a token's header. May reject if the issuer doesn't reply. */
  readonly keyOf: (header: { readonly kid?: string; readonly alg?: string }) => Promise<CryptoKey>;
  /**
   * If true, a token without a sign-in time counts as a fresh sign-in. True only in the sandbox.
   */
  readonly exemptWithoutSignIn: boolean;
  /** The maximum lifetime of a token. Unlimited in the sandbox. */
  readonly lifetimeMaxSeconds: number;
};

export type VerifierOptions = {
  readonly service: string;
  readonly trustDomain: string;
  /** Returns the current keys of the services. Changed files are read again. */
  readonly trustedKeys: () => TrustedKeys;
  /** Absent if persons have no access. */
  readonly persons?: PersonIssuer | undefined;
};

/** Returns the caller from the header `authorization`. Throws UNAUTHENTICATED or UNAVAILABLE. */
export type Verify = (authorization: string | null | undefined) => Principal | Promise<Principal>;

/** The maximum number of verified tokens that are remembered. */
const rememberedMax = 4_096;
/**
 * The time for which a verified token is remembered. A removed key therefore stays valid for at
 * most this long.
 */
const rememberedMs = 60_000;

type Verified = { readonly principal: Principal; readonly keys: TrustedKeys };

/**
 * Verifies signed tokens. A verified token is remembered by its hash for up to a minute, while it
 * is valid and the services' keys are unchanged. Finding a remembered token costs a hundredth of a
 * verification.
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
  // A service may sign tokens only for itself.
  const self = spiffeId(trustDomain, signer);
  if (payload.iss !== self || payload.sub !== self) {
    throw unauthenticated("the token's key belongs to another service");
  }
  const operator = manualUseOf(payload);
  const principal = { kind: "service", name: signer, ...(operator && { operator }) } as const;
  return { principal, expiresAt: payload.exp ?? 0 };
}

/** The maximum length of a reason, so that it fits in an audit entry. */
const reasonLengthMax = 500;

/**
 * Reads the operator and the reason from a token that `rpc.mjs --to` signed (`act` of RFC 8693, and
 * `reason`).
 */
function manualUseOf({ act, reason }: JWTPayload): ManualUse | undefined {
  if (act === undefined && reason === undefined) return undefined;
  const person = typeof act === "object" && act !== null && "sub" in act ? act.sub : undefined;
  const isPerson = typeof person === "string" && subjectPattern.test(person);
  const isReason = typeof reason === "string" && reason.trim() !== "";
  if (!isPerson || !isReason || reason.length > reasonLengthMax || textProblem(reason)) {
    throw unauthenticated("the token's claims act and reason are not valid");
  }
  return { person, reason };
}

/** Accepted signature algorithms of access tokens. None of them uses a shared secret. */
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
  if (!subjectPattern.test(sub))
    throw unauthenticated("the token's claim sub is not a valid person");
  if (iat > Date.now() / 1_000 + clockToleranceSeconds) {
    throw unauthenticated("the token's claim iat is in the future");
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

/** Returns the issuer that a token names. Returns `undefined` if it names none or is malformed. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Explains why a token was refused, without showing any part of the token. */
function refusalOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof errors.JWTExpired) return unauthenticated("the token has expired");
  if (error instanceof errors.JWTClaimValidationFailed) {
    return unauthenticated(`the token's claim ${error.claim} is not accepted`);
  }
  if (error instanceof errors.JOSEError && !isUnreachable(error)) {
    return unauthenticated("the token is not signed by a trusted key");
  }
  return new ConnectError("the keys of the token's issuer cannot be fetched", Code.Unavailable);
}

/** Returns true if the key set could not be fetched. The token may still be valid then. */
function isUnreachable(error: InstanceType<typeof errors.JOSEError>): boolean {
  return error instanceof errors.JWKSTimeout || error.code === "ERR_JOSE_GENERIC";
}

const unauthenticated = (message: string) => new ConnectError(message, Code.Unauthenticated);
