import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandLine, version } from "./commands/all.ts";
import { createProgram } from "./program.ts";
import { isChange } from "./table/command.ts";
import { offlineWorld } from "./test-world.ts";

const world = offlineWorld();
afterAll(() => world.remove());

/** Splits an example into words as a shell does. */
const enumChoices = (text: string) =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");

describe("every command", () => {
  const silent = { out: () => undefined, err: () => undefined };

  it.each(commandLine.commands.map((each) => [each.name, each] as const))(
    "%s has examples that it takes",
    async (_name, command) => {
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) {
        let called = "";
        const program = createProgram(commandLine, silent, async ({ name }) => {
          called = name;
        });
        await program.parseAsync(enumChoices(example), { from: "user" });
        expect(called).toBe(command.name);
      }
    },
  );

  it("has a unique name in a known group", () => {
    const names = commandLine.commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const groups = commandLine.groups.map(({ name }) => name);
    expect(new Set(names.map((name) => name.split(" ")[0]))).toEqual(new Set(groups));
  });

  it("has help with its summary, options and examples", async () => {
    const { code, out } = await world.run("credits", "create", "--help");
    expect(code).toBe(0);
    for (const part of ["credit received money", "<amount>", "--note", "--json", "--sandbox"]) {
      expect(out).toContain(part);
    }
    expect(out).toContain("--dry-run");
    expect(out).toContain("Examples:\n  disburse credits create mer_");
    const { out: all } = await world.run("--help");
    for (const { name } of commandLine.groups) expect(all).toContain(name);
    expect(all).toContain("Exit codes: 0 done");
  });

  it("that changes something prints its request with --dry-run and calls no service", async () => {
    const changes = commandLine.commands.filter((each) => isChange(each) && !("run" in each));
    expect(changes.length).toBeGreaterThan(20);
    // The example of `alerts add-file` reads it.
    writeFileSync(join(world.folder, "passport.pdf"), "%PDF-1.7");
    for (const command of changes.filter((each) => !("file" in each))) {
      const [example = ""] = command.examples;
      const args = [...enumChoices(example), "--dry-run", "--json", "--operation-id", "op-1"];
      const { code, out, err } = await world.run(...args);
      expect({ code, err }, command.name).toEqual({ code: 0, err: "" });
      const { rpc, request } = JSON.parse(out);
      expect(rpc).toMatch(/^disburse\.\w+\.v1\.\w+\/\w+$/);
      const actor = { kind: "operator", id: "ada", root: "" };
      expect(request.mutation).toEqual({ operation_id: "op-1", actor, fingerprint: "" });
    }
  });
});

it("prints the package's version", async () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(manifest.version).toBe(version);
  expect((await world.run("--version")).out).toBe(`${version}\n`);
});

describe("rejects with exit code 2 and a hint", () => {
  it.each([
    ["an unknown command", ["merchnats", "list"], "Did you mean merchants?"],
    ["an unknown one of a group", ["merchants", "lst"], "Did you mean list?"],
    ["a group alone", ["merchants"], "Usage: disburse merchants"],
    ["an unknown option", ["merchants", "list", "--limti", "5"], "Did you mean --limit?"],
    ["an argument that is missing", ["accounts", "get", "mer_1"], "missing required argument"],
    ["one too many", ["merchants", "get", "mer_1", "mer_2"], "too many arguments"],
    ["an option that is missing", ["rails", "pause", "sandbox"], "--reason"],
    ["a word of no enum", ["payouts", "list", "m", "--status", "faild"], 'did you mean "failed"?'],
    ["what is no time", ["payouts", "list", "m", "--created-from", "yesterday"], "is not a time"],
    [
      "a day that is none",
      ["payouts", "list", "m", "--created-from", "2026-02-31x"],
      "is not a time",
    ],
    [
      "neither yes nor no",
      ["permissions", "set", "m", "--beneficiaries", "maybe", "--depositors", "no"],
      '--beneficiaries: "maybe" is neither yes nor no',
    ],
    ["what is no number", ["keys", "rotate", "k", "--overlap", "1h"], "is not a whole number"],
    ["too large a number", ["keys", "rotate", "k", "--overlap", "9999999999"], "overlap_seconds"],
    ["a page of nothing", ["merchants", "list", "--limit", "0"], "is not a positive number"],
    [
      "an operation id with a space",
      ["keys", "revoke", "k", "--operation-id", "a b"],
      "must be 1 to 100 printable characters",
    ],
    ["two deployments", ["status", "--sandbox", ".", "--profile", "x"], "exclude each other"],
    ["a sandbox that is not there", ["status", "--sandbox", "nowhere"], "there is no sandbox at"],
    ["a profile that is not there", ["status", "--profile", "prod"], 'there is no profile "prod"'],
    ["a file that is not there", ["corridors", "plan", "none.yaml"], "there is no file none.yaml"],
    ["a shell that is not there", ["completion", "bsh"], 'did you mean "bash"?'],
  ])("%s", async (_what, args, expected) => {
    const { code, out, err } = await world.run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(expected);
  });

  it("in JSON with --json", async () => {
    const { err } = await world.run("completion", "bsh", "--json");
    expect(JSON.parse(err)).toEqual({
      error: { code: "usage", message: expect.stringContaining('"bsh"'), exit: 2 },
    });
  });
});
