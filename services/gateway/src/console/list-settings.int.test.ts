import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { csrfToken } from "../sessions/rules/session.ts";
import { openSessions } from "../sessions/store.ts";
import { emailHash, openMembers, sealPerson } from "../team/store.ts";
import {
  startTestGateway,
  type TestGateway,
  testEmailHashes,
  testSealingKey,
} from "../test-gateway.ts";
import { openListSettings, sealedListSettings } from "./list-settings.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const sealer = createSealer(testSealingKey);
const settings = () => openListSettings(gateway.db, { sealer, clock: { now: () => new Date() } });

/** A member of a team with a session. */
async function signedIn() {
  const members = openMembers(gateway.db, { sealer, emailHashes: testEmailHashes });
  const [id, merchantId] = [newId("member"), newId("merchant")];
  const person = { name: "Mia", email: `${id}@acme.example` };
  const now = new Date(gateway.time.nowMs);
  await members.collection.insertOne({
    ...{ _id: id, schema_version: 1, merchant_id: merchantId, role: "viewer" },
    sealed_person: sealPerson(members, { merchantId, id }, person),
    email_hash: emailHash(members, person.email),
    ...{ signed_in_at: now, removed_at: null, created_at: now },
    ...{ created_by: { kind: "service", id: "sandbox" }, operation: { id } },
  });
  const token = await openSessions(gateway.db, { sealer, clock: { now: () => now } }).begin({
    ...{ kind: "member", memberId: id, person: { id, ...person }, signedInAt: now },
    merchant: { id: merchantId, name: "acme" },
  });
  const headers = { cookie: `disburse_member=${token}`, "x-csrf-token": csrfToken(token) };
  return { id, headers };
}

async function ask(headers: Record<string, string>, list?: string, body?: unknown) {
  const path = `/console/session/lists${list === undefined ? "" : `/${list}`}`;
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const type = { "content-type": "application/json" };
  const response = await fetch(gateway.url + path, { ...sent, headers: { ...headers, ...type } });
  return { status: response.status, body: (await response.json()) as { data?: unknown } };
}

const view = { name: "Zoë's payouts", search: { beneficiary_name: "Zoë" }, hidden: ["method"] };

it("keeps the settings of each person, sealed", async () => {
  const [mia, other] = [await signedIn(), await signedIn()];
  expect(await ask(mia.headers)).toMatchObject({ status: 200, body: { data: {} } });
  expect((await ask(mia.headers, "payouts", { views: [view] })).status).toBe(200);
  expect((await ask(mia.headers, "payouts", { isDense: true, views: [view] })).status).toBe(200);
  expect((await ask(mia.headers, "batches", { hidden: ["id"] })).status).toBe(200);
  const { body } = await ask(mia.headers);
  expect(body.data).toEqual({
    payouts: { isDense: true, views: [view] },
    batches: { hidden: ["id"] },
  });
  expect((await ask(other.headers)).body.data).toEqual({});
  const stored = await gateway.db.collection("list_settings").find().toArray();
  expect(JSON.stringify(stored)).not.toContain("Zoë");
});

it("refuses a request without the session's token, and what is too large", async () => {
  const { headers } = await signedIn();
  const { cookie } = headers;
  expect((await ask({}, undefined)).status).toBe(401);
  expect((await ask({ cookie }, "payouts", {})).status).toBe(403);
  expect((await ask(headers, "Payouts.x", {})).status).toBe(404);
  expect((await ask(headers, "payouts", { text: "x".repeat(17_000) })).status).toBe(413);
  expect((await ask(headers, "payouts", [])).status).toBe(400);
  expect((await ask(headers)).body.data).toEqual({});
});

it("has at most fifty lists, of which each can still change", async () => {
  const person = "operator one";
  const write = (list: number) => settings().write(person, `list-${list}`, { list: String(list) });
  for (let list = 0; list < 50; list += 1) expect(await write(list)).toBe(true);
  expect(await write(50)).toBe(false);
  expect(await write(49)).toBe(true);
});

it("forgets a member who leaves, and is sealed again after a rotation", async () => {
  const { id, headers } = await signedIn();
  await ask(headers, "payouts", { views: [view] });
  const document = await gateway.db.collection("list_settings").findOne({ person: `member ${id}` });
  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
  const both = createSealer(`k9:${key(9)},${testSealingKey}`);
  const change = sealedListSettings.reseal(document ?? {}, both);
  expect(
    createSealer(`k9:${key(9)}`).open(change?.set["sealed"], `list settings|member ${id} payouts`),
  ).toContain("Zoë");
  await settings().endOfMember(id);
  expect((await ask(headers)).body.data).toEqual({});
});
