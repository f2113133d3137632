import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { errors, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Principal } from "../principal.ts";
import { generateServiceKey, readServiceKey, readTrustedKeys, trustedKeysText } from "./keys.ts";
import { serviceIdentity, spiffeId } from "./service-tokens.ts";
import { createVerifier, type PersonIssuer } from "./verifier.ts";

const made = { payout: generateServiceKey("payout"), quote: generateServiceKey("quote") };
const keys = {
  payout: readServiceKey(made.payout.privateText),
  quote: readServiceKey(made.quote.privateText),
};
const publicJwks = [made.payout.publicJwk, made.quote.publicJwk];
let trusted = readTrustedKeys(trustedKeysText(publicJwks));
const issuerKey = generateKeyPairSync("ed25519").privateKey;
let keyOf: PersonIssuer["keyOf"];
const persons = (change: Partial<PersonIssuer> = {}): PersonIssuer => ({
  ...{ issuers: ["https://issuer.test"], audience: "disburse", rolesClaim: "roles" },
  ...{ keyOf: (header) => keyOf(header), lifetimeMaxSeconds: 900, exemptWithoutSignIn: false },
  ...change,
});
const verifier = (more: object = {}) =>
  createVerifier({
    ...{ service: "quote", trustDomain: "disburse", trustedKeys: () => trusted },
    ...{ persons: persons(), ...more },
  });

const now = new Date("2026-11-23T12:00:00Z");
beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  trusted = readTrustedKeys(trustedKeysText(publicJwks));
  keyOf = async () => createPublicKey(issuerKey) as never;
});
afterEach(() => void vi.useRealTimers());
const later = (seconds: number) => vi.setSystemTime(now.getTime() + seconds * 1_000);

/** The code and message of a refused call. */
async function refusalOf(authorization: string | undefined, verify = verifier()) {
  try {
    return await verify(authorization);
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return [Code[code], rawMessage];
  }
}

/** A service's token with changed claims. */
function serviceToken(by: keyof typeof keys, change: object = {}, header: object = {}) {
  const { keyId, privateKey } = keys[by];
  const self = spiffeId("disburse", by);
  const seconds = now.getTime() / 1_000;
  const claims = { iss: self, sub: self, aud: spiffeId("disburse", "quote") };
  return new SignJWT({ ...claims, iat: seconds, exp: seconds + 300, ...change })
    .setProtectedHeader({ alg: "EdDSA", kid: keyId, ...header })
    .sign(privateKey);
}

describe("a service's token", () => {
  const authorization = () => serviceIdentity(keys.payout, "disburse")("quote");

  it("identifies the caller, and serves many calls", async () => {
    const identity = serviceIdentity(keys.payout, "disburse");
    const first = await identity("quote");
    expect(identity("quote")).toBe(first);
    expect(await verifier()(first)).toEqual({ kind: "service", name: "payout" });
  });

  it("is verified once, then looked up until its keys are reloaded", async () => {
    const verify = verifier();
    const sent = await authorization();
    expect(verify(sent)).toBeInstanceOf(Promise);
    await verify(sent);
    expect(verify(sent)).toEqual({ kind: "service", name: "payout" });
    trusted = readTrustedKeys(trustedKeysText([made.quote.publicJwk]));
    expect(await refusalOf(sent, verify)).toEqual([
      "Unauthenticated",
      "the token's key is not trusted",
    ]);
  });

  it("names the operator who uses the service's key by hand, and why", async () => {
    const claims = { act: { sub: "ann" }, reason: "restore of 26 November" };
    const sent = `Bearer ${await serviceToken("payout", claims)}`;
    const operator = { person: "ann", reason: "restore of 26 November" };
    expect(await verifier()(sent)).toEqual({ kind: "service", name: "payout", operator });
    const act = { sub: "ann" };
    for (const bad of [
      ...[{ act }, { reason: "why" }, { act: "ann", reason: "why" }, { act: {}, reason: "why" }],
      ...[
        { act: { sub: "an n" }, reason: "why" },
        { act: null, reason: "why" },
      ],
      ...[
        { act, reason: "" },
        { act, reason: " " },
        { act, reason: "a\nb" },
      ],
      ...[
        { act, reason: 1 },
        { act, reason: "x".repeat(501) },
      ],
    ]) {
      const malformed = `Bearer ${await serviceToken("payout", bad)}`;
      const problem = "the token's claims act and reason are not valid";
      expect(await refusalOf(malformed)).toEqual(["Unauthenticated", problem]);
    }
  });

  it.each([
    [
      "for another service",
      { aud: spiffeId("disburse", "payout") },
      "the token's claim aud is not accepted",
    ],
    [
      "of another trust domain",
      { aud: "spiffe://other/quote" },
      "the token's claim aud is not accepted",
    ],
    ["without an end", { exp: undefined }, "the token's claim exp is not accepted"],
    ["without a beginning", { iat: undefined }, "the token's claim iat is not accepted"],
    ["from later", { iat: now.getTime() / 1_000 + 121 }, "the token's claim iat is not accepted"],
    [
      "in another's name",
      { sub: spiffeId("disburse", "quote") },
      "the token's key belongs to another service",
    ],
    [
      "issued by another",
      { iss: spiffeId("disburse", "quote") },
      "the token's key belongs to another service",
    ],
  ])("%s is refused", async (_what, change, reason) => {
    const sent = `Bearer ${await serviceToken("payout", change)}`;
    expect(await refusalOf(sent)).toEqual(["Unauthenticated", reason]);
  });

  it("of an unknown key, of no algorithm, or changed is refused", async () => {
    const unknown = await serviceToken("payout", {}, { kid: "payout.00000000" });
    expect(await refusalOf(`Bearer ${unknown}`)).toEqual([
      "Unauthenticated",
      "the token's key is not trusted",
    ]);
    const [head = "", claims = "", signature = ""] = (await serviceToken("payout")).split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const unsigned = ["Unauthenticated", "the token is not signed by a trusted key"];
    expect(await refusalOf(`Bearer ${none}.${claims}.`)).toEqual(unsigned);
    const other = (await serviceToken("payout", { jti: "1" })).split(".")[1];
    expect(await refusalOf(`Bearer ${head}.${other}.${signature}`)).toEqual(unsigned);
  });

  it.each([undefined, "", "Bearer", "Bearer a b", "Basic YTpi", "secret"])(
    "is not %j",
    async (sent) => {
      expect(await refusalOf(sent)).toEqual(["Unauthenticated", "a token is missing"]);
    },
  );

  it("is valid while two clocks are 90 s apart, and expires two minutes after its expiry", async () => {
    const sent = `Bearer ${await serviceToken("payout")}`;
    later(-90);
    expect(await refusalOf(sent)).toEqual({ kind: "service", name: "payout" });
    later(419);
    expect(await refusalOf(sent)).toEqual({ kind: "service", name: "payout" });
    later(420);
    expect(await refusalOf(sent)).toEqual(["Unauthenticated", "the token has expired"]);
  });
});

describe("a person's token", () => {
  const personToken = (change: object = {}, algorithm = "EdDSA") => {
    const iat = now.getTime() / 1_000;
    const claims = { iss: "https://issuer.test", sub: "ada", aud: "disburse", iat, exp: iat + 900 };
    return new SignJWT({ ...claims, roles: ["treasury", "emperor"], ...change })
      .setProtectedHeader({ alg: algorithm, kid: "k" })
      .sign(algorithm === "HS256" ? Buffer.alloc(32) : issuerKey);
  };

  it("names the person and the known roles", async () => {
    const person = await refusalOf(`Bearer ${await personToken()}`);
    expect(person).toEqual({ kind: "person", id: "ada", roles: new Set(["treasury"]) });
    const none = await refusalOf(`Bearer ${await personToken({ roles: "treasury" })}`);
    expect(none).toEqual({ kind: "person", id: "ada", roles: new Set() });
  });

  it("has the time and class of the sign-in", async () => {
    const at = now.getTime() / 1_000 - 60;
    const signInOf = async (change: object, verify = verifier()) => {
      const person = await refusalOf(`Bearer ${await personToken(change)}`, verify);
      return (person as Principal & { kind: "person" }).signIn;
    };
    expect(await signInOf({ auth_time: at, acr: "mfa" })).toEqual({ atSeconds: at, acr: "mfa" });
    expect(await signInOf({ auth_time: at })).toEqual({ atSeconds: at, acr: "" });
    for (const other of [undefined, null, "now", "1e9"]) {
      expect(await signInOf({ auth_time: other, acr: "mfa" })).toBeUndefined();
    }
    const sandbox = verifier({ persons: persons({ exemptWithoutSignIn: true }) });
    expect(await signInOf({}, sandbox)).toBe("exempt");
    expect(await signInOf({ auth_time: at }, sandbox)).toEqual({ atSeconds: at, acr: "" });
  });

  it("is valid while two clocks are 90 s apart, and expires two minutes after its expiry", async () => {
    const sent = `Bearer ${await personToken()}`;
    const ada = { kind: "person", id: "ada" };
    later(-90);
    expect(await refusalOf(sent)).toMatchObject(ada);
    later(-121);
    expect(await refusalOf(sent)).toEqual([
      "Unauthenticated",
      "the token's claim iat is in the future",
    ]);
    later(1_019);
    expect(await refusalOf(sent)).toMatchObject(ada);
    later(1_020);
    expect(await refusalOf(sent)).toEqual(["Unauthenticated", "the token has expired"]);
  });

  it.each([
    ["of another issuer", { iss: "https://other.test" }, "the token's claim iss is not accepted"],
    ["for another audience", { aud: "grafana" }, "the token's claim aud is not accepted"],
    ["of no person", { sub: "" }, "the token's claim sub is not a valid person"],
    ["of a person with blanks", { sub: "ada bob" }, "the token's claim sub is not a valid person"],
    [
      "that is good for too long",
      { exp: now.getTime() / 1_000 + 901 },
      "the token's lifetime is too long",
    ],
    ["that has expired", { exp: now.getTime() / 1_000 - 121 }, "the token has expired"],
    [
      "that begins later",
      { nbf: now.getTime() / 1_000 + 121 },
      "the token's claim nbf is not accepted",
    ],
    ["from later", { iat: now.getTime() / 1_000 + 121 }, "the token's claim iat is in the future"],
  ])("%s is refused", async (_what, change, reason) => {
    const sent = `Bearer ${await personToken(change)}`;
    expect(await refusalOf(sent)).toEqual(["Unauthenticated", reason]);
  });

  it("is refused where it is signed by a shared secret, and where there is no issuer", async () => {
    const symmetric = `Bearer ${await personToken({}, "HS256")}`;
    const unsigned = "the token is not signed by a trusted key";
    expect(await refusalOf(symmetric)).toEqual(["Unauthenticated", unsigned]);
    const verify = verifier({ persons: undefined });
    const sent = `Bearer ${await personToken()}`;
    const untrusted = "the token's issuer is not trusted";
    expect(await refusalOf(sent, verify)).toEqual(["Unauthenticated", untrusted]);
  });

  it("fails as UNAVAILABLE while the issuer's keys can't be fetched", async () => {
    const sent = `Bearer ${await personToken()}`;
    const away = ["Unavailable", "the keys of the token's issuer cannot be fetched"];
    for (const error of [new errors.JWKSTimeout(), new TypeError("fetch failed")]) {
      keyOf = () => Promise.reject(error);
      expect(await refusalOf(sent)).toEqual(away);
    }
    keyOf = () => Promise.reject(new errors.JWKSNoMatchingKey());
    const unsigned = "the token is not signed by a trusted key";
    expect(await refusalOf(sent)).toEqual(["Unauthenticated", unsigned]);
  });
});
