import { Code, ConnectError } from "@connectrpc/connect";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { createQuoteCount } from "./count.ts";

it("counts quotes from zero, and refusals and errors by code", async () => {
  const metrics = createMetrics("quote");
  const count = createQuoteCount(metrics);
  const shown = async () =>
    (await metrics.text())
      .match(/^disburse_quotes_total.*$/gm)
      ?.map((line) => line.replace(',service="quote"', "").replace("disburse_quotes_total", ""));
  // Prometheus needs an initial zero, or it would miss the increase by the first quote.
  expect(await shown()).toEqual(['{outcome="QUOTED"} 0']);
  const refusal = refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
  const away = new ConnectError("away", Code.Unavailable);
  for (const error of [undefined, undefined, refusal, away, new Error("a bug")]) count(error);
  expect(await shown()).toEqual([
    '{outcome="QUOTED"} 2',
    '{outcome="RECORD_NOT_FOUND"} 1',
    '{outcome="UNAVAILABLE"} 1',
    '{outcome="INTERNAL"} 1',
  ]);
});
