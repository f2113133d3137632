import { execFile, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { payerOf } from "./payer.ts";

/** Runs each guide's shell blocks in order, and compares the output with what the guide shows. */

const root = join(import.meta.dirname, "..");
const guides = [
  "docs/tutorials/first-payout.md",
  ...readdirSync(join(root, "docs/guides"))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => `docs/guides/${name}`),
];

/** Repeats a request that an overloaded machine answers with 503, as a reader would. */
const patientCurl = `#!/bin/bash
PATH=\${PATH#*:}
[[ " $* " == *" @- "* ]] && input=$(cat; printf .) || input=.
for _ in 1 2 3 4 5; do
  output=$(printf %s "\${input%.}" | curl "$@"); code=$?
  [[ $output == *SERVICE_UNAVAILABLE* ]] || break
  sleep 2
done
printf %s "$output"
exit $code
`;

let platform: TestPlatform;
let folder = "";
beforeAll(async () => {
  platform = await sharedPlatform();
  const { baseUrl, sandbox } = platform;
  folder = mkdtempSync(join(tmpdir(), "disburse-guides-"));
  for (const name of ["docs", "packages"]) symlinkSync(join(root, name), join(folder, name));
  for (const name of [".data", "bin"]) mkdirSync(join(folder, name));
  const written = JSON.stringify({ ...sandbox, base_url: baseUrl });
  writeFileSync(join(folder, ".data", "sandbox.json"), written);
  writeFileSync(join(folder, "bin", "curl"), patientCurl, { mode: 0o755 });
});
afterAll(async () => {
  // A guide that stops early leaves its rules in force for the files that follow.
  await payerOf(platform, "acme").resetControls();
  rmSync(folder, { recursive: true, force: true });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

type Step = { readonly command: string; readonly shown: readonly Shown[] };
type Shown = { readonly kind: "json" | "csv"; readonly text: string };

/** Returns a guide's shell blocks, each with the answers shown between it and the next one. */
function stepsOf(page: string): Step[] {
  const steps: { command: string; shown: Shown[] }[] = [];
  for (const [, kind, text = ""] of page.matchAll(/^```(sh|json|csv)\n(.*?)^```$/gms)) {
    if (kind === "sh") steps.push({ command: text, shown: [] });
    else steps.at(-1)?.shown.push({ kind: kind as Shown["kind"], text });
  }
  return steps;
}

const separator = "\u001e";
const run = promisify(execFile);
const enoughMs = 180_000;

/** Runs the commands in one shell, as a reader would, and returns the output of each. */
async function outputsOf(commands: readonly string[]): Promise<string[]> {
  const endsJobs = "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT";
  const text = [endsJobs, commands.join(`\nprintf '${separator}'\n`)].join("\n");
  const path = [join(folder, "bin"), dirname(process.execPath), process.env.PATH].join(":");
  const env = { ...process.env, PATH: path, DATA_DIR: ".data" };
  const options = { cwd: folder, env, timeout: enoughMs };
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", text], options);
  return stdout.split(separator);
}

/** Turns a shown text into a matcher: `…` stands for any characters. */
function textMatcher(shown: string): unknown {
  if (!shown.includes("…")) return shown;
  const parts = shown.split("…").map((each) => each.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return expect.stringMatching(new RegExp(`^${parts.join(".*")}$`));
}

/** Turns a shown answer into a matcher that ignores the fields left out. */
function matcherOf(shown: unknown): unknown {
  if (typeof shown === "string") return textMatcher(shown);
  if (Array.isArray(shown)) return shown.map(matcherOf);
  if (typeof shown !== "object" || shown === null) return shown;
  const fields = Object.entries(shown).map(([name, value]) => [name, matcherOf(value)]);
  return expect.objectContaining(Object.fromEntries(fields));
}

function expectShown(output: string, { kind, text }: Shown): void {
  if (kind === "csv") {
    expect(output.trim().split(/\r?\n/)).toEqual(text.trim().split("\n").map(textMatcher));
    return;
  }
  const answers = [...output.matchAll(/^\{\n.*?^\}$/gms)].map(([answer]) => JSON.parse(answer));
  expect(answers).toContainEqual(matcherOf(JSON.parse(text)));
}

describe.each(guides)("%s", (name) => {
  const file = join(root, name);
  const page = readFileSync(file, "utf8");
  const steps = stepsOf(page);

  const needsPython = steps.some(({ command }) => command.includes("python3"));
  it("runs block by block, with the answers that it shows", async (test) => {
    test.skip(needsPython && !hasPython, "there is no python3");
    expect(steps.at(-1)?.shown).not.toEqual([]);
    const outputs = await outputsOf(steps.map(({ command }) => command));
    for (const [at, { shown }] of steps.entries()) {
      for (const each of shown) expectShown(outputs[at] ?? "", each);
    }
  });

  it("repeats no idempotency key", () => {
    expect(page).not.toMatch(/Idempotency-Key: (?!\$)/);
  });
});
