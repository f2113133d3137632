import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { MongoNetworkError } from "mongodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClientIdentity } from "../identity/service-tokens.ts";
import type { StepUp } from "../identity/step-up.ts";
import { createLog, silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { createAdmission, slowCallMs } from "./admission.ts";
import { orThrow } from "./refusal.ts";

it("counts calls by RPC, code and caller; persons are one", async () => {
  const metrics = createMetrics("test");
  const verify = testTrust.verify("quote");
  const { identify, run } = createAdmission({ verify, log: silentLog, metrics });
  const call = async (identity: ClientIdentity, work: () => Promise<void>) => {
    const authorization = await identity("quote");
    const header = (name: string) => (name === "authorization" ? authorization : undefined);
    const incoming = { method: QuoteService.method.claimQuote, header };
    await run(await identify(incoming), incoming, work).catch(() => undefined);
  };
  const broken = () => Promise.reject(new Error("broken"));
  await call(testTrust.service("payout"), async () => undefined);
  await call(testTrust.service("payout"), async () => undefined);
  await call(testTrust.service("payout"), broken);
  await call(testTrust.service("gateway"), broken);
  await call(testTrust.person("ada"), broken);
  await call(testTrust.person("bob"), broken);
  const counts = (await metrics.text()).match(/^disburse_rpc_duration_seconds_count.*$/gm);
  const of = 'disburse_rpc_duration_seconds_count{service="test",rpc="ClaimQuote"';
  expect(counts).toEqual([
    `${of},code="ok",caller="payout"} 2`,
    `${of},code="internal",caller="payout"} 1`,
    `${of},code="permissiondenied",caller="gateway"} 1`,
    `${of},code="permissiondenied",caller="person"} 2`,
  ]);
});

it("requires a fresh sign-in of a person if the contract does, by the setting", async () => {
  const verify = testTrust.verify("payout");
  const admission = { verify, log: silentLog, metrics: createMetrics("test") };
  const outcomeOf = async (secondsAgo: number, stepUp?: StepUp) => {
    const { identify, run } = createAdmission({ ...admission, stepUp });
    const signedInAt = new Date(Date.now() - secondsAgo * 1_000);
    const bob = testTrust.person("bob", ["treasury_approver"], { signedInAt });
    const authorization = await bob("payout");
    const header = (name: string) => (name === "authorization" ? authorization : undefined);
    const incoming = { method: ApprovalService.method.approveProposal, header };
    const work = async () => "done";
    return run(await identify(incoming), incoming, work).catch((error: unknown) => {
      const { code, metadata } = ConnectError.from(error);
      return [code, metadata.get("www-authenticate")];
    });
  };
  expect(await outcomeOf(890)).toBe("done");
  expect(await outcomeOf(910)).toEqual([
    Code.Unauthenticated,
    'Bearer error="insufficient_user_authentication", max_age=900',
  ]);
  expect(await outcomeOf(910, { maxAgeSeconds: 1_000 })).toBe("done");
  expect(await outcomeOf(30, { maxAgeSeconds: 20 })).toEqual([
    Code.Unauthenticated,
    'Bearer error="insufficient_user_authentication", max_age=20',
  ]);
});

it("refuses with RECORD_NOT_FOUND only on proof that the primary is the current one", async () => {
  const verify = testTrust.verify("quote");
  let proofs = 0;
  let isFormer = true;
  const watchPrimary = () => async () => {
    proofs += 1;
    if (isFormer) throw new MongoNetworkError("no majority");
  };
  const deps = { verify, log: silentLog, metrics: createMetrics("test"), watchPrimary };
  const { identify, run } = createAdmission(deps);
  const authorization = await testTrust.service("payout")("quote");
  const header = (name: string) => (name === "authorization" ? authorization : undefined);
  const incoming = { method: QuoteService.method.claimQuote, header };
  const codeOf = async (work: () => Promise<unknown>) =>
    run(await identify(incoming), incoming, work).then(
      () => "ok",
      (error: unknown) => ConnectError.from(error).code,
    );
  const refuse = (code: "RECORD_NOT_FOUND" | "INVALID_REQUEST") => async () =>
    orThrow(refused(code)) as unknown;
  expect(await codeOf(refuse("RECORD_NOT_FOUND"))).toBe(Code.Unavailable);
  isFormer = false;
  expect(await codeOf(refuse("RECORD_NOT_FOUND"))).toBe(Code.NotFound);
  expect(proofs).toBe(2);
  isFormer = true;
  expect(await codeOf(refuse("INVALID_REQUEST"))).toBe(Code.InvalidArgument);
  expect(await codeOf(async () => "done")).toBe("ok");
  expect(proofs).toBe(2);
});

describe("the log of calls", () => {
  const payout = testTrust.service("payout");
  const thrown = (code: Code) => () => Promise.reject(new ConnectError("none", code));
  const refuse = (code: "RECORD_NOT_FOUND" | "SERVICE_UNAVAILABLE") => async () =>
    orThrow(refused(code)) as unknown;
  afterEach(() => void vi.restoreAllMocks());

  /** The level and fields of the log line of a call with this duration. */
  async function lineOf(
    identity: ClientIdentity,
    work: () => Promise<unknown>,
    { tookMs = 3, method = QuoteService.method.claimQuote as DescMethod } = {},
  ) {
    const lines: Record<string, unknown>[] = [];
    const log = createLog("quote", "debug", { write: (line) => void lines.push(JSON.parse(line)) });
    const verify = testTrust.verify("quote");
    const { identify, run } = createAdmission({ verify, log, metrics: createMetrics("test") });
    const authorization = await identity("quote");
    const header = (name: string) => (name === "authorization" ? authorization : undefined);
    const incoming = { method, header };
    const context = await identify(incoming);
    vi.spyOn(performance, "now")
      .mockReturnValueOnce(1_000)
      .mockReturnValueOnce(1_000 + tookMs);
    await run(context, incoming, work).catch(() => undefined);
    const [line, ...more] = lines.filter(({ msg }) => msg === "rpc");
    expect(more).toEqual([]);
    return line;
  }

  it.each([
    ["an answer", async () => "done"],
    ["a refusal", refuse("RECORD_NOT_FOUND")],
    ["an invalid request", thrown(Code.InvalidArgument)],
    ["a caller who left", thrown(Code.Canceled)],
  ])("has %s at debug", async (_what, work) => {
    expect(await lineOf(payout, work)).toMatchObject({ level: "debug", rpc: "ClaimQuote" });
  });

  it.each([
    ["a bug", () => Promise.reject(new Error("broken")), "internal"],
    ["a service that is away", thrown(Code.Unavailable), "unavailable"],
    ["a deadline", thrown(Code.DeadlineExceeded), "deadlineexceeded"],
    ["a refusal of the service's own failure", refuse("SERVICE_UNAVAILABLE"), "unavailable"],
    ["a caller who is not admitted", thrown(Code.PermissionDenied), "permissiondenied"],
  ])("has %s at info", async (_what, work, code) => {
    const line = { level: "info", rpc: "ClaimQuote", code, caller: "payout", duration_ms: 3 };
    expect(await lineOf(payout, work)).toMatchObject(line);
  });

  it.each([
    [slowCallMs, "info"],
    [slowCallMs - 1, "debug"],
  ])("has a call of %s ms at %s", async (tookMs, level) => {
    expect(await lineOf(payout, async () => "done", { tookMs })).toMatchObject({
      level,
      code: "ok",
    });
  });

  it("has each call of a person at info", async () => {
    const ada = testTrust.person("ada", ["auditor"]);
    const line = await lineOf(ada, async () => "done", {
      method: QuoteService.method.listCorridors,
    });
    expect(line).toMatchObject({ level: "info", rpc: "ListCorridors", code: "ok" });
  });

  it("has each probe at debug, also one that fails", async () => {
    const fail = thrown(Code.Unavailable);
    const line = await lineOf(payout, fail, { method: Health.method.check });
    expect(line).toMatchObject({ level: "debug", rpc: "Check", code: "unavailable" });
  });
});
