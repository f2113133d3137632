import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { sandboxRpc } from "../rpc.ts";
import { attemptScreening } from "../screening/compliance.ts";
import { type Creator, creatorOn, merchantId } from "../test-bodies.ts";
import { mutation, startTestService, type TestService } from "../test-service.ts";
import { holdsBack } from "./rpc.ts";

let service: TestService;
let creator: Creator;
let sandbox: Client<typeof BeneficiarySandboxService>;
let requested: { recordId: string; verdict: Verdict }[];

beforeAll(async () => {
  service = await startTestService();
  creator = creatorOn(service);
  await creator.permit(merchantId, true);
  const compliance = createRouterTransport((router) =>
    router.service(ComplianceSandboxService, {
      setSubjectListing: ({ subject, verdict }) => {
        requested.push({ recordId: subject?.recordId ?? "", verdict });
        service.clock.moveMs(1);
        const createdAt = timestampFromDate(service.clock.now());
        return { screening: { id: newId("screening", service.clock.now()), verdict, createdAt } };
      },
    }),
  );
  const complianceSandbox = createClient(ComplianceSandboxService, compliance);
  const rpc = sandboxRpc({ ...service.deps, holdsBack, complianceSandbox });
  sandbox = createClient(
    BeneficiarySandboxService,
    createRouterTransport((router) => router.service(BeneficiarySandboxService, rpc), namedCallers),
  );
});
afterAll(() => service.stop());
beforeEach(() => {
  service.compliance.reset();
  requested = [];
});

it.each([
  ["review", Verdict.REVIEW, ScreeningStatus.REVIEW, DepositorStatus.REVIEW],
  ["blocked", Verdict.BLOCK, ScreeningStatus.BLOCKED, DepositorStatus.REJECTED],
  ["cleared", Verdict.CLEAR, ScreeningStatus.CLEARED, DepositorStatus.WHITELISTED],
])("listing a record as %s takes effect at once", async (result, verdict, ofOne, ofOther) => {
  const beneficiaryId = await creator.fiat();
  const depositorId = await creator.depositor(1, { depositor_wallet_address: "" });
  const own = { merchantId, result };
  const one = await sandbox.setBeneficiaryListing({ mutation: mutation(), beneficiaryId, ...own });
  expect(one.beneficiary).toMatchObject({ id: beneficiaryId, screeningStatus: ofOne });
  const other = await sandbox.setDepositorListing({ mutation: mutation(), depositorId, ...own });
  expect(other.depositor).toMatchObject({ id: depositorId, status: ofOther });
  expect(requested).toEqual([
    { recordId: beneficiaryId, verdict },
    { recordId: depositorId, verdict },
  ]);
});

it("a held-back record stays pending until its merchant sets a result", async () => {
  service.compliance.down = new Error("not called");
  const beneficiaryId = await creator.fiat();
  service.compliance.reset();
  const { beneficiaries } = service.deps;
  const opened = await beneficiaries.open(merchantId, beneficiaryId);
  if (opened === undefined) throw new Error("there is no beneficiary");
  const held = { ...service.deps, holdsBack: () => true };
  expect(await attemptScreening(held, beneficiaries, { ...opened, attempt: 1 })).toBe("failed");
  expect(service.compliance.parties).toEqual([]);
  const request = { mutation: mutation(), merchantId, beneficiaryId, result: "cleared" };
  const { beneficiary } = await sandbox.setBeneficiaryListing(request);
  expect(beneficiary?.screeningStatus).toBe(ScreeningStatus.CLEARED);
  expect(service.compliance.parties).toHaveLength(1);
});

it.each([
  ["Sandbox Pending", true],
  ["SANDBOX PENDING Ltd", true],
  ["Sandbox Pendingham", false],
  ["Jane Sandbox Pending", false],
])("%s is held back: %s", (name, isHeld) => {
  const party = { type: "individual", name, date: "", countries: [], documentIds: [] } as const;
  expect(holdsBack({ parties: [party], wallets: [], banks: [] })).toBe(isHeld);
});

it("refuses another merchant's record and an unknown result", async () => {
  const beneficiaryId = await creator.fiat();
  const codeOf = async (more: object) => {
    const request = { mutation: mutation(), merchantId, beneficiaryId, result: "review", ...more };
    const failed = sandbox.setBeneficiaryListing(request).then(() => undefined, readRefusal);
    return (await failed)?.code;
  };
  expect(await codeOf({ merchantId: "mer_2" })).toBe("RECORD_NOT_FOUND");
  expect(await codeOf({ result: "maybe" })).toBe("INVALID_REQUEST");
  expect(requested).toEqual([]);
});
