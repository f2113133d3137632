import { afterAll, describe, expect, it } from "vitest";
import { commandLine } from "./commands/all.ts";
import { candidates } from "./completion.ts";
import { offlineWorld } from "./test-world.ts";

const world = offlineWorld();
afterAll(() => world.remove());

describe("completions", () => {
  it.each([
    [["mer"], ["merchants"]],
    [["alerts", "re"], ["reopen"]],
    [
      ["merchants", ""],
      ["list", "get", "profile", "create"],
    ],
    [["--json", "merchants", "cr"], ["create"]],
    [
      ["alerts", "decide", "alr_1", "--decision", ""],
      ["false_positive", "true_match", "escalated"],
    ],
    [["alerts", "decide", "alr_1", "--dry"], ["--dry-run"]],
    [["merchants", "list", "--l"], ["--limit"]],
    [["merchants", "list", "--limit", ""], []],
    [["merchants", "list", "--json", "--a"], ["--all"]],
    [["nothing", ""], []],
  ])("of %j are %j", (words, expected) => {
    expect(candidates(commandLine, words)).toEqual(expected);
  });
});

it.each(["bash", "zsh", "fish"])("%s gets a script that calls `complete`", async (shell) => {
  const { code, out } = await world.run("completion", shell);
  expect(code).toBe(0);
  expect(out).toContain("disburse complete -- ");
  const words = await world.run("complete", "--", "alerts", "de");
  expect(words).toEqual({ code: 0, out: "decide\n", err: "" });
  const options = await world.run("complete", "--", "alerts", "decide", "--dry");
  expect(options).toEqual({ code: 0, out: "--dry-run\n", err: "" });
});
