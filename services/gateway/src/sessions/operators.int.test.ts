import { Code, ConnectError } from "@connectrpc/connect";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Verify } from "@disburse/chassis/identity/verifier.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { testSealingKey } from "../test-gateway.ts";
import { openOperatorSessions } from "./operators.ts";
import { type Provider, SignInRefused } from "./provider.ts";
import { openSessions } from "./store.ts";

let database: Awaited<ReturnType<typeof migratedDatabase>>;
let sessions: ReturnType<typeof openSessions>;
let refreshed: string[];
let refresh: Provider["refresh"];

beforeAll(async () => {
  database = await migratedDatabase("gateway", migrations);
  const clock = { now: () => new Date() };
  sessions = openSessions(database.db, { sealer: createSealer(testSealingKey), clock });
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => {
  refreshed = [];
  refresh = async (token) => {
    refreshed.push(token);
    return { accessToken: "next", endsAtMs: Date.now() + 900_000, refreshToken: "refresh-2" };
  };
});

/** Accepts each token as a person's, with these exceptions. */
const verify: Verify = (authorization) => {
  if (authorization === "Bearer revoked") throw new ConnectError("no", Code.Unauthenticated);
  if (authorization === "Bearer away") throw new ConnectError("away", Code.Unavailable);
  if (authorization === "Bearer service") return { kind: "service", name: "payout" };
  return { kind: "person", id: "ada", roles: new Set(["treasury"] as const) };
};
const open = (isWithProvider = true) =>
  openOperatorSessions({
    ...{ sessions, verify, cookieName: "disburse_operator" },
    provider: isWithProvider
      ? ({ refresh: (token: string) => refresh(token) } as Provider)
      : undefined,
  });
const begin = (
  accessToken: string,
  endsInMs: number,
  refreshToken: string | undefined = "refresh-1",
) =>
  sessions.begin({
    ...{ kind: "operator", merchant: null, signedInAt: new Date() },
    person: { id: "ada", name: "Ada", email: "" },
    tokens: { accessToken, endsAtMs: Date.now() + endsInMs, refreshToken },
  });

it("a valid token is used unchanged", async () => {
  const found = await open().find(await begin("good", 60_000));
  expect(found).toMatchObject({ accessToken: "good", principal: { id: "ada" } });
  expect(refreshed).toEqual([]);
});

it("a token that expires soon is renewed once for concurrent calls, and stored", async () => {
  const operators = open();
  const token = await begin("old", 20_000);
  const found = await Promise.all([1, 2, 3].map(() => operators.find(token)));
  expect(found.map((each) => each?.accessToken)).toEqual(["next", "next", "next"]);
  expect(refreshed).toEqual(["refresh-1"]);
  expect((await operators.find(token))?.accessToken).toBe("next");
  expect(refreshed).toEqual(["refresh-1"]);
});

it("uses the tokens that another gateway has renewed meanwhile", async () => {
  const token = await begin("old", -1);
  refresh = async () => {
    const session = await sessions.find(token, "operator");
    if (session === undefined) throw new Error("no session");
    const tokens = { accessToken: "other", endsAtMs: Date.now() + 900_000, refreshToken: "r" };
    await sessions.renew(session, tokens);
    throw new SignInRefused("used already");
  };
  expect((await open().find(token))?.accessToken).toBe("other");
});

it.each([
  ["the provider refuses", () => begin("old", -1), true],
  ["there is nothing to renew by", () => begin("old", -1, ""), false],
  ["services do not believe the token any more", () => begin("revoked", 60_000), true],
  ["the token is a service's", () => begin("service", 60_000), true],
])("the session ends where %s", async (_why, make, isWithProvider) => {
  refresh = async () => {
    throw new SignInRefused("ended");
  };
  const operators = open(isWithProvider);
  const token = await make();
  expect(await operators.find(token)).toBeUndefined();
  expect(await sessions.find(token, "operator")).toBeUndefined();
});

it("an issuer that does not answer ends no session", async () => {
  const [unread, unasked] = [await begin("away", 60_000), await begin("old", -1)];
  refresh = async () => {
    throw new TypeError("fetch failed");
  };
  await expect(open().find(unread)).rejects.toThrow("away");
  await expect(open().find(unasked)).rejects.toThrow("fetch failed");
  for (const token of [unread, unasked]) {
    expect(await sessions.find(token, "operator")).toBeDefined();
  }
});
