import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { expect, it } from "vitest";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { createAdmission } from "./admission.ts";

const serviceToken = "t".repeat(32);

it("counts calls by RPC, code and caller; callers that it does not know are one", async () => {
  const metrics = createMetrics("test");
  const admit = createAdmission({ serviceToken, log: silentLog, metrics });
  const call = async (caller: string, work: () => Promise<void>) => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${serviceToken}`,
      "x-disburse-caller": caller,
    };
    const header = (name: string) => headers[name];
    await admit({ method: QuoteService.method.getQuote, header }, work).catch(() => undefined);
  };
  await call("payout", async () => undefined);
  await call("payout", async () => undefined);
  await call("somebody", () => Promise.reject(new Error("broken")));
  await call("somebody else", () => Promise.reject(new Error("broken")));
  const counts = (await metrics.text()).match(/^disburse_rpc_duration_seconds_count.*$/gm);
  expect(counts).toEqual([
    'disburse_rpc_duration_seconds_count{service="test",rpc="GetQuote",code="ok",caller="payout"} 2',
    'disburse_rpc_duration_seconds_count{service="test",rpc="GetQuote",code="internal",caller="other"} 2',
  ]);
});
