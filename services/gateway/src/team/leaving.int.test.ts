import { create } from "@bufbuild/protobuf";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { MemberRole } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { RevocationSchema } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  startTestGateway,
  type TestGateway,
  testEmailHashes,
  testSealingKey,
} from "../test-gateway.ts";
import { teamService } from "./rpc.ts";
import { acceptInvitation, openMembers } from "./store.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const members = () => {
  const sealer = createSealer(testSealingKey);
  return openMembers(gateway.db, { sealer, emailHashes: testEmailHashes });
};

/** Holds role changes back until `go`. `reached` resolves when the first change waits. */
type Stall = {
  readonly reached: PromiseWithResolvers<void>;
  readonly go: PromiseWithResolvers<void>;
};

function serviceOver(stall?: Stall) {
  const opened = members();
  const collection = intercepted(opened.collection, ["findOneAndUpdate"], async (proceed) => {
    stall?.reached.resolve();
    await stall?.go.promise;
    return proceed();
  });
  return teamService({
    members: { ...opened, collection },
    clock: { now: () => new Date(gateway.time.nowMs) },
    membersMax: 10,
    endSessions: async () => undefined,
    carryOut: async () => create(RevocationSchema),
  });
}

it("an admin whose change stalls past its time does not leave after another one has", async () => {
  const merchantId = newId("merchant");
  const call = <T>(work: () => Promise<T> | T) => {
    const principal = { kind: "person", id: "olga", roles: new Set() } as never;
    return withCallContext({ requestId: "r", principal }, async () => work());
  };
  const mutation = () => ({ operationId: crypto.randomUUID() }) as never;
  const admin = async (name: string) => {
    const email = `${name}@leaving.example`;
    const request = { mutation: mutation(), merchantId, email, name, role: MemberRole.ADMIN };
    const { member } = (await call(() =>
      serviceOver().addMember(request as never, {} as never),
    )) as { member: { id: string } };
    const person = { issuer: "https://login.example", id: `sub-${name}`, email };
    await acceptInvitation(members(), person, member.id, new Date());
    return member.id;
  };
  const [ada, bea] = [await admin("ada"), await admin("bea")];
  const stall = {
    reached: Promise.withResolvers<void>(),
    go: Promise.withResolvers<void>(),
  };
  const slow = { mutation: mutation(), merchantId, memberId: ada, role: MemberRole.VIEWER };
  const leaving = call(() => serviceOver(stall).setMemberRole(slow as never, {} as never)).then(
    () => "done",
    () => "refused",
  );
  await stall.reached.promise;
  gateway.time.nowMs += 31_000;
  const removal = { mutation: mutation(), merchantId, memberId: bea };
  await call(() => serviceOver().removeMember(removal as never, {} as never));
  stall.go.resolve();
  expect(await leaving).toBe("refused");
  const admins = { merchant_id: merchantId, role: "admin", removed_at: null } as const;
  expect(await members().collection.countDocuments(admins)).toBe(1);
});
