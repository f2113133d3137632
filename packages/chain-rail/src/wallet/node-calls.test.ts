import { createLog } from "@disburse/chassis/log.ts";
import { expect, it } from "vitest";
import { callAllOf, NodeProblem } from "./node-calls.ts";

const secret = "https://node.example/KEY";

it.each([
  ["our own words", new NodeProblem("the wallet has private keys"), "the wallet has private keys"],
  ["a code", Object.assign(new Error(`${secret} -18`), { code: -18 }), "Error -18"],
  [
    "the code of a connection",
    new TypeError(secret, { cause: Object.assign(new Error(secret), { code: "ECONNREFUSED" }) }),
    "TypeError ECONNREFUSED",
  ],
  ["a name alone", Object.assign(new Error(secret), { code: secret }), "Error"],
])("logs %s of a failed node, and neither message nor URL", async (_what, error, reason) => {
  const lines: string[] = [];
  const failed: number[] = [];
  const callAll = callAllOf([1, 2], {
    log: createLog("payout", "info", { write: (line) => void lines.push(line) }),
    onNodeFailed: (node) => void failed.push(node),
  });
  const results = await callAll(async (node) => {
    if (node === 2) throw error;
    return node;
  });
  expect([results, failed]).toEqual([[1, undefined], [1]]);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ node: 1, reason });
  expect(lines.join("")).not.toContain(secret);
});
