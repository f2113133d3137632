import { createClient, createRouterTransport } from "@connectrpc/connect";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { MailKind } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { csrfToken } from "../sessions/rules/session.ts";
import { openSessions } from "../sessions/store.ts";
import { scopesOf } from "../team/rules/role.ts";
import { emailHash, openMembers, sealPerson } from "../team/store.ts";
import {
  startTestGateway,
  type TestGateway,
  testEmailHashes,
  testSealingKey,
} from "../test-gateway.ts";

let gateway: TestGateway;
let off: readonly MailKind[];
let asked: object[];
beforeAll(async () => {
  gateway = await startTestGateway();
  const { notifier } = gateway.fakes;
  const preferences = () => ({
    preferences: {
      available: true,
      paused: off.length > 1,
      kinds: [
        { kind: MailKind.APPROVALS, scope: "payout:approve" },
        { kind: MailKind.FAILURES, scope: "payout:read" },
      ].map((each) => ({ ...each, enabled: !off.includes(each.kind) })),
    },
  });
  notifier.getMailPreferences = ({ merchantId, memberId }) => {
    asked.push({ merchantId, memberId });
    return preferences();
  };
  notifier.setMailPreferences = ({ merchantId, memberId, disabledKinds, mutation }) => {
    asked.push({ merchantId, memberId, actor: mutation?.actor?.id });
    off = disabledKinds;
    return preferences();
  };
});
afterAll(() => gateway.stop());
beforeEach(() => {
  off = [];
  asked = [];
});

const sealer = createSealer(testSealingKey);
const members = () => openMembers(gateway.db, { sealer, emailHashes: testEmailHashes });

async function signedIn(role: "approver" | "maker", more: object = {}) {
  const store = members();
  const [id, merchantId] = [newId("member"), newId("merchant")];
  const person = { name: "Mia", email: `${id}@acme.example` };
  const now = new Date(gateway.time.nowMs);
  await store.collection.insertOne({
    ...{ _id: id, schema_version: 1, merchant_id: merchantId, role },
    sealed_person: sealPerson(store, { merchantId, id }, person),
    email_hash: emailHash(store, person.email),
    subject: { issuer: "https://login.example", id },
    ...{ signed_in_at: now, removed_at: null, created_at: now },
    created_by: { kind: "service", id: "sandbox" },
    operation: { id },
    ...more,
  });
  const sessions = openSessions(gateway.db, { sealer, clock: { now: () => now } });
  const token = await sessions.begin({
    ...{ kind: "member", memberId: id, person: { id, ...person }, signedInAt: now },
    merchant: { id: merchantId, name: "acme" },
  });
  return { id, merchantId, token, email: person.email };
}

const path = "/console/session/notifications";
const cookie = (token: string) => ({ cookie: `disburse_member=${token}` });
const save = (token: string, body: unknown, csrf = csrfToken(token)) =>
  gateway.ask({
    method: "POST",
    path,
    body: JSON.stringify(body),
    headers: { ...cookie(token), "x-csrf-token": csrf },
  });

it("a member reads and chooses the kinds of the own role", async () => {
  const { id, merchantId, token } = await signedIn("maker");
  const read = await gateway.ask({ path, headers: cookie(token) });
  const [failures, none] = [
    { kind: "failures", enabled: true },
    { kind: "failures", enabled: false },
  ];
  expect(read.json.data).toEqual({ available: true, paused: false, kinds: [failures] });
  const saved = await save(token, { off: ["failures"] });
  expect(saved.json.data).toEqual({ available: true, paused: false, kinds: [none] });
  const key = { merchantId, memberId: id };
  expect(asked).toEqual([key, { ...key, actor: id }]);
  const approver = await signedIn("approver");
  const both = await save(approver.token, { off: ["failures", "approvals"] });
  expect(both.json.data).toEqual({
    available: true,
    paused: true,
    kinds: [{ ...none, kind: "approvals" }, none],
  });
});

it.each([{}, { off: "failures" }, { off: ["other"] }, { off: [1] }, { off: ["unspecified"] }])(
  "refuses %j",
  async (body) => {
    const { token } = await signedIn("maker");
    expect(await save(token, body)).toMatchObject({
      status: 400,
      json: { code: "INVALID_REQUEST" },
    });
    expect(asked).toEqual([]);
  },
);

it("needs a session, its CSRF token and a member who is not removed", async () => {
  const { id, token } = await signedIn("maker");
  expect((await gateway.ask({ path })).status).toBe(401);
  expect((await save(token, { off: [] }, "wrong")).status).toBe(403);
  await members().collection.updateOne({ _id: id }, { $set: { removed_at: new Date() } });
  expect((await gateway.ask({ path, headers: cookie(token) })).status).toBe(401);
  expect((await save(token, { off: [] })).status).toBe(401);
  expect(asked).toEqual([]);
});

it("the notifier gets the addresses and scopes of active members alone", async () => {
  const { id, merchantId, email } = await signedIn("approver");
  const of = { merchant_id: merchantId };
  await signedIn("maker", { ...of, removed_at: new Date() });
  await signedIn("maker", { ...of, subject: undefined });
  await signedIn("maker");
  const transport = createRouterTransport(
    (router) => router.service(TeamService, gateway.gateway.teamService),
    namedCallers,
  );
  const { recipients } = await createClient(TeamService, transport).listMailRecipients({
    merchantId,
  });
  expect(recipients).toMatchObject([{ memberId: id, email, scopes: [...scopesOf("approver")] }]);
});
