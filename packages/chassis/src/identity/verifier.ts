import { hash, type KeyObject } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { textProblem } from "@disburse/kernel/text.ts";
import { decodeJwt, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { wordsOf } from "../enum-words.ts";
import type { ManualUse, Principal, Role, SignIn } from "../principal.ts";
import type { TrustedKeys } from "./keys.ts";
import { serviceTokenSeconds, spiffeId } from "./service-tokens.ts";
import { clockToleranceSeconds } from "./step-up.ts";

/** Whose tokens of persons are accepted. */
export type PersonIssuer = {
  /** The `iss` of the tokens: one of these, which share their keys. */
  readonly issuers: readonly string[];
  /** What the tokens have to be made for. */
  readonly audience: string;
  /** The claim that lists a person's roles. */
  readonly rolesClaim: string;
  /** The issuer's key for a token's header; may reject where the issuer does not answer. */
  readonly keyOf: (header: { readonly kid?: string; readonly alg?: string }) => Promise<CryptoKey>;
  /** Whether a token without a sign-in counts as one of now: in the sandbox alone. */
  readonly exemptWithoutSignIn: boolean;
  /** A token that is good for longer is refused; unbounded in the sandbox. */
  readonly lifetimeMaxSeconds: number;
};

/** Whom a service believes. */
export type VerifierOptions = {
  /** The service that is called. */
  readonly service: string;
  readonly trustDomain: string;
  /** The keys of the services as they are now: they may be read anew. */
  readonly trustedKeys: () => TrustedKeys;
  /** Absent where persons have no access. */
  readonly persons?: PersonIssuer | undefined;
};

/** Answers who calls by the header `authorization`; throws UNAUTHENTICATED, or UNAVAILABLE. */
export type Verify = (authorization: string | null | undefined) => Principal | Promise<Principal>;

/** Tokens that are remembered as verified. */
const rememberedMax = 4_096;
/** A key that is no longer trusted holds on for so long, if its file is not read anew before. */
const rememberedMs = 60_000;

type Verified = { readonly principal: Principal; readonly keys: TrustedKeys };

/**
 * Verifies signed tokens. A verified one is remembered by its hash for up to a minute, as long as
 * it is good and the keys of the services stay the same: a look-up costs a hundredth of a
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
  // A service signs for itself alone.
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

/** The operator of a token that `rpc.mjs --to` signed: `act` (RFC 8693) and `reason`. */
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

/** What providers sign access tokens with; a shared secret is not among them. */
const personAlgorithms = ["EdDSA", "Ed25519", "ES256", "RS256", "PS256"];
const subjectPattern = /^[\x21-\x7e]{1,128}$/;
const allRoles: ReadonlySet<string> = new Set(wordsOf(RoleEnum));

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
  if (exp - iat > lifetimeMaxSeconds) throw unauthenticated("the token is good for too long");
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

/** The sign-in that a token names by `auth_time`. */
function signInOf({ auth_time: at, acr }: JWTPayload): SignIn | undefined {
  if (typeof at !== "number" || !Number.isFinite(at)) return undefined;
  return { atSeconds: at, acr: typeof acr === "string" ? acr : "" };
}

function verifyOptions(algorithms: string[], requiredClaims: string[]): JWTVerifyOptions {
  const clockTolerance = clockToleranceSeconds;
  return { algorithms, requiredClaims: [...requiredClaims, "exp"], clockTolerance };
}

/** The issuer that a token names; absent where it names none, or is malformed. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Why a token is refused, without any of it. */
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

/** The key set did not come: that says nothing about the token. */
function isUnreachable(error: InstanceType<typeof errors.JOSEError>): boolean {
  return error instanceof errors.JWKSTimeout || error.code === "ERR_JOSE_GENERIC";
}

const unauthenticated = (message: string) => new ConnectError(message, Code.Unauthenticated);
