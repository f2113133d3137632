import { Code, ConnectError } from "@connectrpc/connect";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import type { ClientIdentity } from "../identity/service-tokens.ts";
import type { StepUp } from "../identity/step-up.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { createAdmission } from "./admission.ts";

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

it("asks a person for a fresh sign-in where the contract does, and by the setting", async () => {
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
