import { createHash, randomBytes } from "node:crypto";
import { openIdentity } from "@disburse/chassis/identity/open.ts";
import { bearerIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { identitySettings } from "@disburse/chassis/identity/settings.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { readSettings } from "@disburse/chassis/settings.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issuerSettings, type Person, passwordOf, sandboxPeople } from "../people.ts";
import { generateSecrets } from "../secrets.ts";
import { createAttempts } from "./issuer.ts";
import { startIssuer } from "./server.ts";
import { type Browser, createBrowser } from "./test-browser.ts";

const secrets = generateSecrets();
const { issuerKey } = secrets;
let people: readonly Person[] = sandboxPeople;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let service: Awaited<ReturnType<typeof startService>>;
let endpoints: Record<string, string>;

beforeAll(async () => {
  issuer = await startIssuer({ port: 0, issuerKey, log: silentLog, people: () => people });
  service = await startService(issuer.url);
  const found = await fetch(`${issuer.url}/.well-known/openid-configuration`);
  endpoints = (await found.json()) as Record<string, string>;
});
afterAll(async () => {
  await service?.stop();
  await issuer?.stop();
});

/** Serves payout's operator RPCs. They return the caller. */
async function startService(url: string) {
  const settings = readSettings(
    {
      SERVICE_KEY: secrets.serviceKeys.payout,
      TRUSTED_KEYS: secrets.trustedKeys,
      ...issuerSettings(issuerKey, url),
    },
    identitySettings,
  );
  const options = { ...settings, DISBURSE_MODE: "sandbox" as const };
  const { verify, stepUp, stop } = openIdentity("payout", options, {}, silentLog);
  const server = await startRpcServer({
    ...{ host: "127.0.0.1", port: 0, verify, stepUp, log: silentLog },
    metrics: createMetrics("payout"),
    services: [PayoutOperatorService, ApprovalService],
    routes: (router) =>
      router
        .service(PayoutOperatorService, {
          resolvePayout: ({ mutation }) => ({ payout: { id: readMutation(mutation).actor.id } }),
        })
        .service(ApprovalService, {
          approveProposal: ({ mutation }) => ({
            proposal: { id: readMutation(mutation).actor.id },
          }),
        }),
    ready: async () => true,
  });
  const as = async (token: string, rpc: "resolvePayout" | "approveProposal") => {
    const identity = bearerIdentity(token);
    const operations = connectService(PayoutOperatorService, server.url, { identity });
    const approvals = connectService(ApprovalService, server.url, { identity });
    const actor = { kind: Actor_Kind.OPERATOR, id: "somebody-else" };
    const request = { mutation: { operationId: "op", actor } };
    try {
      return rpc === "resolvePayout"
        ? (await operations.rpc.resolvePayout(request)).payout?.id
        : (await approvals.rpc.approveProposal(request)).proposal?.id;
    } finally {
      await operations.close();
      await approvals.close();
    }
  };
  return {
    as,
    stop: async () => {
      stop();
      await server.stop();
    },
  };
}

const redirectUri = "http://127.0.0.1:45678/console/session/callback";
const verifierOf = () => randomBytes(32).toString("base64url");
const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

function authorizationUrl(change: Record<string, string> = {}, challenge = challengeOf("x")) {
  const url = new URL(endpoints.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    ...{ client_id: "disburse-console", response_type: "code", redirect_uri: redirectUri },
    ...{ scope: "openid disburse", state: "s", code_challenge: challenge },
    ...{ code_challenge_method: "S256", ...change },
  }).toString();
  return url.href;
}

type Tokens = Record<string, string | number | undefined>;
async function ask(endpoint: string, fields: Record<string, string>): Promise<Tokens> {
  const body = new URLSearchParams(fields);
  const response = await fetch(endpoints[endpoint] ?? "", { method: "POST", body });
  return (await response.json()) as Tokens;
}
const text = (value: unknown) => String(value ?? "");

/** Signs in on the browser's current page. */
const signIn = (browser: Browser, name: string, password = passwordOf(issuerKey, name)) =>
  browser.submit({ name, password });

/** Returns the tokens that the console gets when this person signs in. */
async function consoleTokens(name: string, change: Record<string, string> = {}): Promise<Tokens> {
  const verifier = verifierOf();
  const browser = createBrowser(issuer.url);
  await browser.open(authorizationUrl(change, challengeOf(verifier)));
  const { location } = await signIn(browser, name);
  const answered = new URL(location ?? "");
  expect(answered.origin + answered.pathname).toBe(redirectUri);
  expect(answered.searchParams.get("state")).toBe("s");
  return ask("token_endpoint", {
    ...{ grant_type: "authorization_code", client_id: "disburse-console" },
    code: answered.searchParams.get("code") ?? "",
    ...{ redirect_uri: redirectUri, code_verifier: verifier },
  });
}

const refresh = (tokens: Tokens, client_id = "disburse-console") =>
  ask("token_endpoint", {
    ...{ grant_type: "refresh_token", client_id },
    refresh_token: text(tokens.refresh_token),
  });

describe("the console's sign-in", () => {
  it("ends in a token of 15 minutes, by which an RPC knows the person", async () => {
    const tokens = await consoleTokens("bob");
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 900 });
    const token = text(tokens.access_token);
    expect(decodeProtectedHeader(token)).toMatchObject({ typ: "at+jwt", alg: "EdDSA" });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      ...{ iss: issuer.url, sub: "bob", aud: "disburse", roles: ["treasury_approver"] },
      ...{ acr: "urn:disburse:acr:password", client_id: "disburse-console" },
    });
    expect(Math.abs(Number(claims.auth_time) - Date.now() / 1_000)).toBeLessThan(60);
    expect(await service.as(token, "approveProposal")).toBe("bob");
    await expect(service.as(token, "resolvePayout")).rejects.toThrow("permission_denied");
    const id = decodeJwt(text(tokens.id_token));
    expect(id).toMatchObject({ sub: "bob", aud: "disburse-console" });
    // An id token is no access token.
    const misused = service.as(text(tokens.id_token), "approveProposal");
    await expect(misused).rejects.toThrow("the token's claim aud is not accepted");
  });

  it("is refreshed with the time of the sign-in, and with the roles of now", async () => {
    const first = await consoleTokens("ada");
    const again = await refresh(first);
    const [before, after] = [first, again].map((each) => decodeJwt(text(each.access_token)));
    expect(after).toMatchObject({ sub: "ada", roles: ["treasury"], auth_time: before?.auth_time });
    expect(await service.as(text(again.access_token), "resolvePayout")).toBe("ada");
    people = sandboxPeople.map((each) => (each.id === "ada" ? { id: "ada", roles: [] } : each));
    const taken = await refresh(again);
    await expect(service.as(text(taken.access_token), "resolvePayout")).rejects.toThrow(
      "permission_denied",
    );
    people = sandboxPeople.filter(({ id }) => id !== "ada");
    expect(await refresh(taken)).toMatchObject({ error: "invalid_grant" });
    people = sandboxPeople;
    // A refresh token works once.
    expect(await refresh(first)).toMatchObject({ error: "invalid_grant" });
  });

  it("is kept for the next one, unless a fresh one is requested", async () => {
    const browser = createBrowser(issuer.url);
    await browser.open(authorizationUrl());
    await signIn(browser, "dan");
    expect((await browser.open(authorizationUrl())).location).toContain(redirectUri);
    for (const fresh of [{ prompt: "login" }, { max_age: "0" }]) {
      const shown = await browser.open(authorizationUrl(fresh));
      expect([shown.location, shown.html]).toEqual([
        undefined,
        expect.stringContaining("Password"),
      ]);
      expect((await signIn(browser, "dan")).location).toContain(redirectUri);
    }
  });

  it("needs PKCE, a resource that is ours, and a redirect to this machine", async () => {
    const verifier = verifierOf();
    const errorOf = async (change: Record<string, string>) => {
      const browser = createBrowser(issuer.url);
      const shown = await browser.open(authorizationUrl(change, challengeOf(verifier)));
      return shown.location === undefined
        ? /(\w+):/.exec(shown.html.split("<main>")[1]?.replace(/<h1>.*<\/h1>/, "") ?? "")?.[1]
        : new URL(shown.location).searchParams.get("error");
    };
    expect(await errorOf({ code_challenge: "", code_challenge_method: "" })).toBe(
      "invalid_request",
    );
    expect(await errorOf({ code_challenge_method: "plain" })).toBe("invalid_request");
    expect(await errorOf({ resource: "urn:other" })).toBe("invalid_target");
    const elsewhere = { redirect_uri: "https://elsewhere.example/callback" };
    expect(await errorOf(elsewhere)).toBe("invalid_redirect_uri");
  });
});

describe("a password", () => {
  it("that is wrong can be entered again", async () => {
    const browser = createBrowser(issuer.url);
    await browser.open(authorizationUrl());
    for (const [name, password] of [
      ["carol", "guess"],
      ["carol", passwordOf(issuerKey, "dan")],
      ["mallory", passwordOf(issuerKey, "mallory")],
      ["carol", ""],
    ] as const) {
      const shown = await signIn(browser, name, password);
      expect([shown.status, shown.location]).toEqual([401, undefined]);
      expect(shown.html).toContain("The name or the password is wrong.");
      if (password !== "") expect(shown.html).not.toContain(password);
    }
    expect((await signIn(browser, "carol")).location).toContain(redirectUri);
  });

  it("is not guessed: after five tries even the right one has to wait", async () => {
    const browser = createBrowser(issuer.url);
    await browser.open(authorizationUrl());
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await signIn(browser, "erin", `guess-${tries}`)).status).toBe(401);
    }
    const shown = await signIn(browser, "erin");
    expect([shown.status, shown.location]).toEqual([429, undefined]);
    expect(Number(shown.retryAfter)).toBeGreaterThan(0);
    expect((await signIn(browser, "frank")).location).toContain(redirectUri);
  });

  it("is another one in each data folder, and the same at each start", () => {
    const all = sandboxPeople.map(({ id }) => passwordOf(issuerKey, id));
    expect(new Set(all).size).toBe(sandboxPeople.length);
    for (const each of all) expect(each).toMatch(/^[\w-]{20}$/);
    expect(passwordOf(issuerKey, "ada")).toBe(all[0]);
    expect(passwordOf(generateSecrets().issuerKey, "ada")).not.toBe(all[0]);
  });
});

describe("the command line's sign-in", () => {
  const poll = (device_code: string) =>
    ask("token_endpoint", {
      ...{ grant_type: "urn:ietf:params:oauth:grant-type:device_code" },
      ...{ client_id: "disburse-cli", device_code },
    });

  it("ends in a token when a person has confirmed its code elsewhere", async () => {
    const scope = "openid disburse";
    const begun = await ask("device_authorization_endpoint", { client_id: "disburse-cli", scope });
    const code = text(begun.device_code);
    expect(await poll(code)).toMatchObject({ error: "authorization_pending" });
    const browser = createBrowser(issuer.url);
    await browser.open(text(begun.verification_uri));
    expect((await browser.submit({ user_code: "WRNG-CODE" })).html).toContain("does not exist");
    const confirmation = await browser.submit({ user_code: text(begun.user_code) });
    expect(confirmation.html).toContain(text(begun.user_code));
    await browser.submit({ confirm: "yes" });
    const done = await signIn(browser, "dan");
    expect(done.html).toContain("You can go back to the command line.");
    const tokens = await poll(code);
    const claims = decodeJwt(text(tokens.access_token));
    expect(claims).toMatchObject({ sub: "dan", roles: ["compliance_approver"], aud: "disburse" });
    expect(Number(claims.auth_time)).toBeGreaterThan(Date.now() / 1_000 - 60);
    const again = await refresh(tokens, "disburse-cli");
    expect(decodeJwt(text(again.access_token))).toMatchObject({ sub: "dan" });
    // A reused code indicates theft, so all tokens issued for it are revoked.
    expect(await poll(code)).toMatchObject({ error: "invalid_grant" });
    expect(await refresh(again, "disburse-cli")).toMatchObject({ error: "invalid_grant" });
  });
});

it("answers by its own address alone", async () => {
  const { port } = new URL(issuer.url);
  const shown = await fetch(`http://localhost:${port}/.well-known/openid-configuration`).catch(
    () => undefined,
  );
  // Where localhost has another address than 127.0.0.1, the request gets no response.
  expect([421, undefined]).toContain(shown?.status);
});

const limits = { max: 3, refillMs: 60_000 };

it("allows some guesses at once, then one a minute", () => {
  const { begin } = createAttempts(limits);
  expect([0, 1, 2].map(() => begin("ada", 0))).toEqual([0, 0, 0]);
  expect(begin("ada", 0)).toBe(60_000);
  expect(begin("ada", 59_000)).toBe(1_000);
  expect(begin("ada", 60_000)).toBe(0);
  expect(begin("ada", 60_000)).toBe(60_000);
  expect([0, 1, 2].map(() => begin("ada", 10 ** 9))).toEqual([0, 0, 0]);
});

it("counts each key by itself", () => {
  const { begin } = createAttempts(limits);
  for (const _each of [0, 1, 2]) begin("ada", 0);
  expect(begin("bob", 0)).toBe(0);
});

it("gives a right guess back", () => {
  const { begin, giveBack } = createAttempts(limits);
  for (let at = 0; at < 10; at += 1) {
    expect(begin("ada", 0)).toBe(0);
    giveBack("ada", 0);
  }
  giveBack("ada", 0);
  expect([0, 1, 2, 3].map(() => begin("ada", 0))).toEqual([0, 0, 0, 60_000]);
});
