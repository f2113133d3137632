import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  MemberRole,
  MemberState,
  TeamService,
} from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { memberPortal } from "../console/portal.ts";
import { openMemberSessions } from "../sessions/members.ts";
import { csrfToken } from "../sessions/rules/session.ts";
import { openSessions } from "../sessions/store.ts";
import {
  mutation,
  startTestGateway,
  type TestGateway,
  testEmailHashes,
  testSealingKey,
} from "../test-gateway.ts";
import {
  acceptInvitation,
  acceptSeeded,
  declineInvitation,
  invitationsOf,
  membershipsOf,
  noteSignIn,
  openMembers,
  sealedMembers,
} from "./store.ts";

let gateway: TestGateway;
let team: ReturnType<typeof teamClient>;
let merchantId: string;

const teamClient = ({ gateway: { teamService } }: TestGateway) =>
  createClient(
    TeamService,
    createRouterTransport((router) => router.service(TeamService, teamService), namedCallers),
  );

beforeAll(async () => {
  gateway = await startTestGateway();
  team = teamClient(gateway);
});
afterAll(() => gateway.stop());
beforeEach(() => {
  merchantId = newId("merchant");
});

const sealer = createSealer(testSealingKey);
const members = () => openMembers(gateway.db, { sealer, emailHashes: testEmailHashes });
const sessions = () =>
  openSessions(gateway.db, { sealer, clock: { now: () => new Date(gateway.time.nowMs) } });

const add = async (name: string, role: MemberRole = MemberRole.MAKER, change: object = {}) => {
  const email = `${name}@acme.example`;
  const added = await team.addMember({
    mutation: mutation(),
    merchantId,
    email,
    name,
    role,
    ...change,
  });
  return added.member?.id ?? "";
};
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => readRefusal(error),
  );
const person = (id: string, email?: string) => ({ issuer: "https://login.example", id, email });
/** Accepts every invitation of the person. Returns the ids of the members. */
const accept = async (id: string, email: string | undefined) => {
  const by = person(id, email);
  const invited = await invitationsOf(members(), by);
  const accepted = invited.map(({ _id }) => acceptInvitation(members(), by, _id, new Date()));
  return (await Promise.all(accepted)).flatMap((each) => each?._id ?? []);
};
const teamsOf = async (id: string, email?: string) =>
  (await membershipsOf(members(), person(id, email))).map(({ merchant_id }) => merchant_id);

describe("a member", () => {
  it("is added once for an operation, and once for an email", async () => {
    const by = mutation();
    const order = {
      mutation: by,
      merchantId,
      name: "Mia",
      email: "mia@acme.example",
      role: MemberRole.MAKER,
    };
    const first = await team.addMember(order);
    expect(first.member).toMatchObject({
      ...{ merchantId, name: "Mia", email: "mia@acme.example", role: MemberRole.MAKER },
      state: MemberState.INVITED,
    });
    expect(await team.addMember(order)).toEqual(first);
    const other = { ...order, name: "Eve" };
    expect(await refusalOf(team.addMember(other))).toMatchObject({
      message: "operation_id: was used with other content",
    });
    const again = { ...order, mutation: mutation(), email: "MIA@acme.example" };
    expect(await refusalOf(team.addMember(again))).toMatchObject({
      code: "STATE_NOT_REACHABLE",
      message: "The person is already an invited member of this team.",
    });
    const elsewhere = { ...again, merchantId: newId("merchant") };
    expect((await team.addMember(elsewhere)).member?.id).not.toBe(first.member?.id);
  });

  it("are at most 200 of a merchant, with those who are invited", async () => {
    const all = Array.from({ length: 200 }, (_each, at) => add(`member-${at}`));
    const [first = ""] = await Promise.all(all);
    expect(await refusalOf(add("one-more"))).toMatchObject({
      ...{ code: "INVALID_REQUEST", message: "There can be at most 200 team members." },
    });
    await team.removeMember({ mutation: mutation(), merchantId, memberId: first });
    expect(await add("one-more")).toMatch(/^mem_/);
  });

  it("is stored with sealed name and email, and resealed", async () => {
    const id = await add("mia");
    const stored = await members().collection.findOne({ _id: id });
    expect(JSON.stringify(stored)).not.toMatch(/mia/i);
    const both = createSealer(`k2:${Buffer.alloc(32, 4).toString("base64")},${testSealingKey}`);
    const change = sealedMembers.reseal({ ...stored }, both);
    expect(change?.set.sealed_person).toMatch(/^k2\./);
  });

  it("is who accepts with the verified email, and stays that", async () => {
    const id = await add("una");
    expect(await accept("sub-1", undefined)).toEqual([]);
    expect(await accept("sub-1", "eve@acme.example")).toEqual([]);
    // An invitation alone does not make a member.
    expect(await teamsOf("sub-1", "UNA@acme.example")).toEqual([]);
    expect(await accept("sub-1", "UNA@acme.example")).toEqual([id]);
    expect(await accept("sub-1", "una@acme.example")).toEqual([]);
    // The provider may later give that address to another person.
    expect(await accept("sub-2", "una@acme.example")).toEqual([]);
    expect(await teamsOf("sub-2", "una@acme.example")).toEqual([]);
    expect(await teamsOf("sub-1")).toEqual([merchantId]);
    const elsewhere = { issuer: "https://other.example", id: "sub-1", email: undefined };
    expect(await membershipsOf(members(), elsewhere)).toEqual([]);
    const { members: all } = await team.listMembers({ merchantId });
    expect(all).toMatchObject([{ id, state: MemberState.ACTIVE, signedInAt: expect.anything() }]);
  });

  it("is one of its team, however many addresses of a person are invited", async () => {
    const at = "two-addresses";
    await add(`${at}-1`, MemberRole.MAKER);
    await add(`${at}-2`, MemberRole.APPROVER);
    const accepted = await Promise.all([1, 2].map((n) => accept(at, `${at}-${n}@acme.example`)));
    expect(accepted.flat()).toHaveLength(1);
    expect(await teamsOf(at)).toEqual([merchantId]);
  });

  it("of several teams has the one first that was chosen last, else the oldest", async () => {
    const first = merchantId;
    await add("two");
    const second = newId("merchant");
    merchantId = second;
    gateway.time.nowMs += 1;
    const other = await add("two");
    await accept("sub-two", "two@acme.example");
    expect(await teamsOf("sub-two")).toEqual([first, second]);
    const now = new Date();
    await noteSignIn(members(), other, { signed_in_at: now, chosen_at: now });
    expect(await teamsOf("sub-two")).toEqual([second, first]);
  });

  it("declines an invitation of its own, after which it can be invited again", async () => {
    const id = await add("dee");
    const by = person("sub-dee", "dee@acme.example");
    const eve = person("sub-eve", "eve@acme.example");
    expect(await declineInvitation(members(), eve, id, new Date())).toBeUndefined();
    expect(await declineInvitation(members(), by, id, new Date())).toMatchObject({ _id: id });
    expect(await invitationsOf(members(), by)).toEqual([]);
    expect(await add("dee")).not.toBe(id);
  });

  it("signs in recently only if the provider reports when", async () => {
    const id = await add("remy");
    await accept("sub-remy", "remy@acme.example");
    const clock = { now: () => new Date(gateway.time.nowMs) };
    const portal = memberPortal(
      { origin: undefined, provider: undefined },
      {
        members: members(),
        sessions: openMemberSessions({ sessions: sessions(), members: members(), cookieName: "m" }),
        merchantNames: async (name) => name,
        clock,
      },
    );
    const { issuer } = person("sub-remy");
    const signedIn = { issuer, id: "sub-remy", name: "Remy", email: "", isEmailVerified: false };
    const tokens = { accessToken: "", endsAtMs: 0, refreshToken: undefined };
    const admit = (authTime: number | undefined) =>
      portal.admit({ ...signedIn, authTime, tokens }, undefined);
    expect(await admit(1_800_000_000)).toMatchObject({
      memberId: id,
      signedInAt: new Date(1_800_000_000_000),
    });
    expect(await admit(undefined)).toMatchObject({ memberId: id, signedInAt: new Date(0) });
  });

  it("is accepted at once where the sandbox's seed added it, and by no one else's word", async () => {
    const seed = {
      operationId: crypto.randomUUID(),
      actor: { kind: Actor_Kind.SERVICE, id: "sandbox" },
    };
    const id = await add("seeded", MemberRole.MAKER, { mutation: seed });
    await add("invited");
    for (const name of ["seeded", "invited"]) {
      await acceptSeeded(members(), person(`sub-${name}`, `${name}@acme.example`), new Date());
    }
    expect(await membershipsOf(members(), person("sub-seeded"))).toMatchObject([{ _id: id }]);
    expect(await teamsOf("sub-invited")).toEqual([]);
  });

  it("gives no role beyond its root's current scopes, even by an older key", async () => {
    const alma = await add("alma", MemberRole.ADMIN);
    await add("ada", MemberRole.ADMIN);
    const actor = { kind: Actor_Kind.API_KEY, id: "childKey", root: alma };
    const byKey = () => ({ mutation: { operationId: crypto.randomUUID(), actor }, merchantId });
    const invite = (name: string, role: MemberRole) =>
      team.addMember({ ...byKey(), email: `${name}@acme.example`, name, role });
    const raise = () => team.setMemberRole({ ...byKey(), memberId: alma, role: MemberRole.ADMIN });
    const { member } = await invite("kim", MemberRole.ADMIN);
    const stored = await members().collection.findOne({ _id: member?.id ?? "" });
    expect(stored?.root).toBe(alma);
    await team.setMemberRole({
      ...{ mutation: mutation(), merchantId, memberId: alma, role: MemberRole.VIEWER },
    });
    const refusal = { code: "ACCESS_FORBIDDEN", reason: "scope_missing" };
    expect(await refusalOf(raise())).toMatchObject(refusal);
    expect(await refusalOf(invite("eve", MemberRole.MAKER))).toMatchObject(refusal);
    expect(await refusalOf(invite("vic", MemberRole.VIEWER))).toBeUndefined();
    await team.removeMember({ mutation: mutation(), merchantId, memberId: alma });
    expect(await refusalOf(invite("zed", MemberRole.VIEWER))).toMatchObject(refusal);
  });

  it("an admin stays, whichever leave at once and whoever is only invited", async () => {
    const admins = await Promise.all(["a1", "a2", "a3"].map((each) => add(each, MemberRole.ADMIN)));
    for (const each of ["a1", "a2", "a3"]) await accept(`sub-${each}`, `${each}@acme.example`);
    await add("bogus", MemberRole.ADMIN);
    const leave = (memberId: string, at: number) =>
      at === 0
        ? team.removeMember({ mutation: mutation(), merchantId, memberId })
        : team.setMemberRole({
            ...{ mutation: mutation(), merchantId, memberId },
            role: MemberRole.VIEWER,
          });
    await Promise.allSettled(admins.map(leave));
    const activeAdmins = async () =>
      (await team.listMembers({ merchantId })).members.filter(
        ({ role, state }) => role === MemberRole.ADMIN && state === MemberState.ACTIVE,
      );
    const [last] = await activeAdmins();
    if (last === undefined) throw new Error("no admin is left");
    for (const { id } of await activeAdmins()) await leave(id, 0).catch(() => undefined);
    expect(await activeAdmins()).toHaveLength(1);
    const [only] = await activeAdmins();
    expect(await refusalOf(leave(only?.id ?? "", 0))).toMatchObject({
      code: "STATE_NOT_REACHABLE",
      message: "The member is the last admin of this team. Another member must be an admin first.",
    });
  });

  it("who is removed has no session from then on, and can be added again", async () => {
    await add("alma", MemberRole.ADMIN);
    const id = await add("rex");
    await accept("sub-rex", "rex@acme.example");
    const person = { id, name: "Rex", email: "rex@acme.example" };
    const merchant = { id: merchantId, name: "acme" };
    const now = new Date(gateway.time.nowMs);
    const fresh = { kind: "member", memberId: id, person, merchant, signedInAt: now } as const;
    const token = await sessions().begin(fresh);
    const ask = () =>
      gateway.ask({
        path: "/api/v1/transfer/accounts",
        headers: { cookie: `disburse_member=${token}` },
      });
    gateway.fakes.payout.listAccounts = () => ({ accounts: [] });
    expect((await ask()).status).toBe(200);
    const removal = { mutation: mutation(), merchantId, memberId: id };
    expect((await team.removeMember(removal)).member?.state).toBe(MemberState.REMOVED);
    expect((await ask()).status).toBe(401);
    // A session that began during the removal finds no member.
    const late = await sessions().begin(fresh);
    const cookie = `disburse_member=${late}`;
    const path = "/api/v1/transfer/accounts";
    expect((await gateway.ask({ path, headers: { cookie } })).status).toBe(401);
    expect(await teamsOf("sub-rex")).toEqual([]);
    expect(await team.removeMember(removal)).toMatchObject({ member: { id } });
    const again = await add("rex");
    expect(await accept("sub-rex", "rex@acme.example")).toEqual([again]);
  });

  it("decides on approvals for 15 minutes after a sign-in", async () => {
    const id = await add("avi", MemberRole.APPROVER);
    const person = { id, name: "Avi", email: "avi@acme.example" };
    const token = await sessions().begin({
      ...{ kind: "member", memberId: id, person, merchant: { id: merchantId, name: "acme" } },
      signedInAt: new Date(gateway.time.nowMs),
    });
    gateway.fakes.payout.approvePayout = () => {
      throw new ConnectError("away", Code.Unavailable);
    };
    const approve = () =>
      gateway.ask({
        method: "POST",
        path: "/api/v1/transfer/payouts/po_1/approve",
        headers: { cookie: `disburse_member=${token}`, "x-csrf-token": csrfToken(token) },
      });
    gateway.time.nowMs += 900_000;
    expect((await approve()).json).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    gateway.time.nowMs += 1;
    expect((await approve()).json).toMatchObject({
      ...{ code: "ACCESS_FORBIDDEN", reason: "sign_in_too_old" },
    });
  });

  it("lets others in for 15 minutes after a sign-in: by a key, as a member, by a role", async () => {
    const id = await add("alma", MemberRole.ADMIN);
    const mia = await add("mia");
    const person = { id, name: "Alma", email: "alma@acme.example" };
    const token = await sessions().begin({
      ...{ kind: "member", memberId: id, person, merchant: { id: merchantId, name: "acme" } },
      signedInAt: new Date(gateway.time.nowMs),
    });
    const headers = { cookie: `disburse_member=${token}`, "x-csrf-token": csrfToken(token) };
    const ask = async (method: string, path: string, body?: object) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const { status, text } = await gateway.ask({ method, path, headers, ...sent });
      return [status, JSON.parse(text).reason ?? ""];
    };
    const steps = (email: string) =>
      Promise.all([
        ask("POST", "/api/v1/keys", { scopes: ["payout:read"] }),
        ask("POST", "/api/v1/team/members", { email, name: "Max", role: "viewer" }),
        ask("PATCH", `/api/v1/team/members/${mia}`, { role: "viewer" }),
      ]);
    gateway.time.nowMs += 900_000;
    expect(await steps("max@acme.example")).toEqual(Array(3).fill([200, ""]));
    gateway.time.nowMs += 1;
    expect(await steps("late@acme.example")).toEqual(Array(3).fill([403, "sign_in_too_old"]));
    expect(await ask("GET", "/api/v1/keys")).toEqual([200, ""]);
  });

  it("changes role from the next request on, but the last admin stays one", async () => {
    const alma = await add("alma", MemberRole.ADMIN);
    const demote = () =>
      refusalOf(
        team.setMemberRole({
          ...{ mutation: mutation(), merchantId, memberId: alma, role: MemberRole.VIEWER },
        }),
      );
    const lastAdmin = {
      code: "STATE_NOT_REACHABLE",
      message: "The member is the last admin of this team. Another member must be an admin first.",
    };
    expect(await demote()).toMatchObject(lastAdmin);
    const remove = { mutation: mutation(), merchantId, memberId: alma };
    expect(await refusalOf(team.removeMember(remove))).toMatchObject(lastAdmin);
    await add("ada", MemberRole.ADMIN);
    expect(await demote()).toBeUndefined();
    const ofOtherMerchant = { ...remove, mutation: mutation(), merchantId: newId("merchant") };
    expect(await refusalOf(team.removeMember(ofOtherMerchant))).toMatchObject({
      code: "RECORD_NOT_FOUND",
    });
    const unnamed = {
      ...ofOtherMerchant,
      mutation: mutation(),
      merchantId,
      role: MemberRole.UNSPECIFIED,
    };
    expect(await refusalOf(team.setMemberRole(unnamed))).toMatchObject({ code: "INVALID_REQUEST" });
  });
});

describe("a session", () => {
  // Long enough that the sealed text doesn't contain it by chance.
  const person = { id: "ada", name: "Ada Lovelace", email: "" };
  const tokens = { accessToken: "secret-token", endsAtMs: 1, refreshToken: "secret-refresh" };
  const begin = () =>
    sessions().begin({
      ...{ kind: "operator", person, merchant: null, tokens },
      signedInAt: new Date(gateway.time.nowMs),
    });

  it("is stored without its token or the provider's, and works only at its own port", async () => {
    const token = await begin();
    const stored = JSON.stringify(await gateway.db.collection("sessions").find().toArray());
    for (const text of [token, "secret-token", "secret-refresh", person.name]) {
      expect(stored).not.toContain(text);
    }
    expect(await sessions().find(token, "member")).toBeUndefined();
    const found = await sessions().find(token, "operator");
    expect(found).toMatchObject({ person, tokens });
    if (found === undefined) throw new Error("no session");
    const renewed = { ...tokens, accessToken: "next" };
    await sessions().renew(found, renewed);
    expect(await sessions().find(token, "operator")).toMatchObject({ tokens: renewed });
    await sessions().end(token);
    await sessions().renew(found, tokens);
    expect(await sessions().find(token, "operator")).toBeUndefined();
  });

  it("expires when unused, and after eight hours; the sweep deletes it", async () => {
    const minute = 60_000;
    const [idle, used] = [await begin(), await begin()];
    const goes = async (token: string) => (await sessions().find(token, "operator")) !== undefined;
    gateway.time.nowMs += 29 * minute;
    expect(await goes(used)).toBe(true);
    gateway.time.nowMs += minute;
    expect([await goes(idle), await goes(used)]).toEqual([false, true]);
    for (let at = 0; at < 15; at += 1) {
      gateway.time.nowMs += 29 * minute;
      expect(await goes(used)).toBe(true);
    }
    gateway.time.nowMs += 14 * minute;
    expect(await goes(used)).toBe(true);
    gateway.time.nowMs += minute;
    expect(await goes(used)).toBe(false);
    await gateway.gateway.sweep();
    expect(await gateway.db.collection("sessions").countDocuments()).toBe(0);
  });
});
