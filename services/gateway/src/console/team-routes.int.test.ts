import { createClient, createRouterTransport } from "@connectrpc/connect";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import {
  MemberRole,
  MemberState,
  TeamService,
} from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { csrfToken } from "../sessions/rules/session.ts";
import { openSessions } from "../sessions/store.ts";
import { membershipsOf, openMembers } from "../team/store.ts";
import {
  mutation,
  startTestGateway,
  type TestGateway,
  testEmailHashes,
  testSealingKey,
} from "../test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const issuer = "https://login.example";
const sealer = createSealer(testSealingKey);
const members = () => openMembers(gateway.db, { sealer, emailHashes: testEmailHashes });
const team = () =>
  createClient(
    TeamService,
    createRouterTransport(
      (router) => router.service(TeamService, gateway.gateway.teamService),
      namedCallers,
    ),
  );

async function invite(name: string) {
  const [merchantId, email] = [newId("merchant"), `${name}@acme.example`];
  const invited = { mutation: mutation(), merchantId, email, name, role: MemberRole.VIEWER };
  const { member } = await team().addMember(invited);
  return { merchantId, memberId: member?.id ?? "" };
}

/** Signs a person in who has no team yet. */
function signIn(name: string) {
  const clock = { now: () => new Date(gateway.time.nowMs) };
  const email = `${name}@acme.example`;
  return openSessions(gateway.db, { sealer, clock }).begin({
    ...{ kind: "member", person: { id: name, name, email }, merchant: null },
    ...{ subject: { issuer, id: name, email }, signedInAt: clock.now() },
  });
}

const answer = async (token: string, memberId: string, word: "accept" | "decline") =>
  gateway.ask({
    method: "POST",
    path: `/console/session/invitations/${memberId}/${word}`,
    headers: { cookie: `disburse_member=${token}`, "x-csrf-token": csrfToken(token) },
  });

async function entriesAbout(memberId: string) {
  const audit = openAuditStore<string>(gateway);
  const entries = await audit.list(memberId, undefined, 100);
  return entries
    .filter(({ call }) => call?.rpc.endsWith("/AnswerInvitation"))
    .map(({ person, call }) => [person, call?.caller, call?.merchantId, call?.outcome]);
}

it.each(["accept", "decline"] as const)("the audit trail has an %s once", async (word) => {
  const name = `ada-${word}`;
  const { merchantId, memberId } = await invite(name);
  const [own, other] = [await signIn(name), await signIn("eve")];
  expect((await answer(other, memberId, word)).status).toBe(404);
  expect((await answer(own, memberId, word)).status).toBe(200);
  // The session may have moved to the team, under another token.
  expect([401, 404]).toContain((await answer(own, memberId, word)).status);
  expect(await entriesAbout(memberId)).toEqual([[memberId, "member", merchantId, "done"]]);
});

it("a former member's identity is kept, and finds no team", async () => {
  const { merchantId, memberId } = await invite("mia");
  await answer(await signIn("mia"), memberId, "accept");
  const { member } = await team().removeMember({ mutation: mutation(), merchantId, memberId });
  expect(member?.state).toBe(MemberState.REMOVED);
  const stored = await members().collection.findOne({ _id: memberId });
  expect(stored).toMatchObject({ former_subject: { issuer, id: "mia" } });
  expect(stored).not.toHaveProperty("subject");
  expect(await membershipsOf(members(), { issuer, id: "mia", email: undefined })).toEqual([]);
  const declined = await invite("dee");
  await answer(await signIn("dee"), declined.memberId, "decline");
  const left = await members().collection.findOne({ _id: declined.memberId });
  expect(left).toMatchObject({ former_subject: { issuer, id: "dee" } });
});
