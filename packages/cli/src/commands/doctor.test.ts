import { afterEach, expect, it } from "vitest";
import { offlineWorld } from "../test-world.ts";

type Executed = { readonly program: string; readonly args: readonly string[] };

const fine = JSON.stringify([{ part: "database", state: "ok", text: "MongoDB 8.0.15" }]);
const broken = JSON.stringify([
  { part: "database", state: "ok", text: "MongoDB 8.0.15" },
  { part: "broker", state: "failed", text: "connect ECONNREFUSED 10.0.0.7:5671" },
]);
let executed: Executed[] = [];
let answers: Record<string, { code: number; stdout: string; stderr: string }> = {};

const world = () =>
  offlineWorld({
    execute: async (program, args) => {
      executed.push({ program, args });
      const service = args
        .map((each) => each.replace("deploy/", ""))
        .find((each) => each in answers);
      return answers[service ?? ""] ?? { code: 0, stdout: fine, stderr: "" };
    },
  });
let opened = world();
afterEach(() => {
  opened.remove();
  [executed, answers] = [[], {}];
  opened = world();
});

it("checks every service in compose, also those that do not run", async () => {
  const { code, out, err } = await opened.run("doctor");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^SERVICE +STATE +PART +TEXT\nbeneficiary +ok +database +MongoDB 8/);
  expect(out.trim().split("\n")).toHaveLength(7);
  expect(executed).toHaveLength(6);
  for (const { program, args } of executed) {
    expect([program, ...args.slice(0, 5)]).toEqual([
      "docker",
      "compose",
      "run",
      "--rm",
      "--no-deps",
      "-T",
    ]);
    expect(args.at(-1)).toContain("service/src/main.ts check --json");
  }
});

it("checks the pods of a namespace, and fails with what is broken", async () => {
  answers = { payout: { code: 1, stdout: broken, stderr: "" } };
  const { code, out, err } = await opened.run("doctor", "--kubernetes", "disburse", "--json");
  expect(code).toBe(1);
  const { healthy, findings } = JSON.parse(out);
  expect(healthy).toBe(false);
  expect(findings).toContainEqual({
    ...{ service: "payout", part: "broker", state: "failed" },
    text: "connect ECONNREFUSED 10.0.0.7:5671",
  });
  expect(JSON.parse(err).error.message).toBe("1 check failed: payout broker");
  expect(executed[0]).toEqual({
    program: "kubectl",
    args: [
      ...["-n", "disburse", "exec", "deploy/beneficiary", "--"],
      ...["node", "service/src/main.ts", "check", "--json"],
    ],
  });
});

it("reports a container that cannot be reached", async () => {
  const stderr = "error: unable to upgrade connection: container not found\n";
  answers = { quote: { code: 1, stdout: "", stderr } };
  const { code, out } = await opened.run("doctor", "--kubernetes", "disburse", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(out).findings).toContainEqual({
    ...{ service: "quote", part: "container", state: "failed" },
    text: "error: unable to upgrade connection: container not found",
  });
});

it("refuses a namespace that could be an option", async () => {
  const { code } = await opened.run("doctor", "--kubernetes=--all");
  expect([code, executed]).toEqual([2, []]);
});
