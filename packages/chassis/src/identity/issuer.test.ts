import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { SignJWT } from "jose";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLog } from "../log.ts";
import { type Mode, readSettings } from "../settings.ts";
import { generateServiceKey, trustedKeysText } from "./keys.ts";
import { openIdentity } from "./open.ts";
import { identitySettings } from "./settings.ts";

/** A service that fetches the keys of its token issuer over HTTP. */

const { privateText, publicJwk } = generateServiceKey("payout");
const services = { SERVICE_KEY: privateText, TRUSTED_KEYS: trustedKeysText([publicJwk]) };
const now = new Date("2026-11-23T12:00:00Z");
let signing: ReturnType<typeof issuerKey>;
let server: ReturnType<typeof createServer>;
let url = "";

function issuerKey(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg: "EdDSA" };
  return { kid, jwk, privateKey };
}

beforeEach(async () => {
  signing = issuerKey("first");
  server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: [signing.jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  vi.useFakeTimers({ now, toFake: ["Date"] });
});
afterEach(async () => {
  vi.useRealTimers();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const goAway = async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};

function open(mode: Mode = "live", issuer = "https://issuer.test") {
  const environment = { ...services, OIDC_ISSUER: issuer, OIDC_JWKS_URL: url };
  const settings = readSettings(environment, identitySettings);
  return openIdentity("payout", { ...settings, DISBURSE_MODE: mode }, environment, silentLog);
}

let tokens = 0;
/** A new access token, which no service has cached. */
async function token(change: object = {}): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { iss: "https://issuer.test", sub: "ada", aud: "disburse", iat, exp: iat + 900 };
  tokens += 1;
  const signed = await new SignJWT({ ...claims, jti: `${tokens}`, ...change })
    .setProtectedHeader({ alg: "EdDSA", kid: signing.kid })
    .sign(signing.privateKey);
  return `Bearer ${signed}`;
}

const outcome = async (verify: ReturnType<typeof open>["verify"], sent: string) => {
  try {
    const principal = await verify(sent);
    return principal.kind === "person" ? principal.id : "a service";
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return `${Code[code]}: ${rawMessage}`;
  }
};

it("uses its cached keys while the issuer is unreachable, then fails as UNAVAILABLE", async () => {
  const { verify, stop } = open();
  expect(await outcome(verify, await token())).toBe("ada");
  await goAway();
  vi.setSystemTime(now.getTime() + 9 * 60_000);
  expect(await outcome(verify, await token())).toBe("ada");
  vi.setSystemTime(now.getTime() + 11 * 60_000);
  const away = "Unavailable: the keys of the token's issuer cannot be fetched";
  expect(await outcome(verify, await token())).toBe(away);
  stop();
});

it("takes the issuer's new key when a token names it", async () => {
  const { verify, stop } = open();
  expect(await outcome(verify, await token())).toBe("ada");
  signing = issuerKey("second");
  vi.setSystemTime(now.getTime() + 60_000);
  expect(await outcome(verify, await token())).toBe("ada");
  stop();
});

it("accepts each of an issuer's names, and no other", async () => {
  const { verify, stop } = open("live", "https://issuer.test,https://login.issuer.test");
  const iss = "https://login.issuer.test";
  expect(await outcome(verify, await token({ iss }))).toBe("ada");
  expect(await outcome(verify, await token())).toBe("ada");
  const other = await token({ iss: "https://issuer.test,https://login.issuer.test" });
  expect(await outcome(verify, other)).toBe(
    "Unauthenticated: the token's claim iss is not accepted",
  );
  stop();
});

it("counts a token without a sign-in as a fresh one only in the sandbox", async () => {
  const signInOf = async (mode: Mode) => {
    const { verify, stop } = open(mode);
    const principal = await verify(await token());
    stop();
    return principal.kind === "person" ? principal.signIn : "none";
  };
  expect(await signInOf("sandbox")).toBe("exempt");
  expect(await signInOf("live")).toBeUndefined();
});

it("reads the age and class of a fresh sign-in from the settings", () => {
  const read = (environment: Record<string, string>) => {
    const settings = readSettings({ ...services, ...environment }, identitySettings);
    const opened = openIdentity("payout", { ...settings, DISBURSE_MODE: "live" }, {}, silentLog);
    opened.stop();
    return opened.stepUp;
  };
  expect(read({})).toEqual({ maxAgeSeconds: 900, acr: undefined });
  expect(read({ STEP_UP_MAX_AGE_SECONDS: "60", STEP_UP_ACR: "mfa" })).toEqual({
    ...{ maxAgeSeconds: 60, acr: "mfa" },
  });
  expect(() => read({ STEP_UP_MAX_AGE_SECONDS: "0" })).toThrow("STEP_UP_MAX_AGE_SECONDS");
  expect(() => read({ STEP_UP_ACR: 'a"b' })).toThrow("STEP_UP_ACR");
});
