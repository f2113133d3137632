import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { startReceiver } from "@disburse/testkit/receiver.ts";
import { readDocument } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { id } from "./wire.ts";

/** Runs the README's commands literally in a shell, and checks its links. */

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const local = readFileSync(join(root, "docs/contributing/running-locally.md"), "utf8");

/** Returns a page's only program that contains a text. */
function program(page: string, part: string): string {
  const programs = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text = ""]) => text);
  const found = programs.filter((text) => text.includes(part));
  if (found.length !== 1) throw new Error(`the page has ${found.length} programs with ${part}`);
  return found[0] ?? "";
}

let platform: TestPlatform;
let folder = "";
beforeAll(async () => {
  platform = await sharedPlatform();
  folder = mkdtempSync(join(tmpdir(), "disburse-readme-"));
  mkdirSync(join(folder, ".data"));
  symlinkSync(join(root, "docs"), join(folder, "docs"));
  const { baseUrl, sandbox, secrets, url } = platform;
  const written = {
    ...sandbox,
    base_url: baseUrl,
    grpc: { quote: url("quote") },
  };
  writeFileSync(join(folder, ".data", "sandbox.json"), JSON.stringify(written));
  writeFileSync(join(folder, ".data", "secrets.json"), JSON.stringify(secrets));
  // Replaces the checkout's own commands, so that they use the sandbox's files.
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const token = scripts.token.replace("scripts/launch.mjs", join(root, "scripts/launch.mjs"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { token } }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = promisify(execFile);
const enoughMs = 60_000;

/** Runs the text in a shell, in a folder with the sandbox's file. Returns its output. */
async function printed(text: string): Promise<string> {
  const tools = `${dirname(process.execPath)}:${join(root, "node_modules", ".bin")}`;
  const DATA_DIR = join(folder, ".data");
  const env = { ...process.env, PATH: `${tools}:${process.env.PATH}`, DATA_DIR };
  const { stdout } = await run("bash", ["-euc", text], { cwd: folder, env, timeout: enoughMs });
  return stdout;
}

describe("what a merchant reads of webhooks", () => {
  const file = join(root, "docs/reference/webhooks.md");
  const guide = readFileSync(file, "utf8");
  const commands = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text = ""]) => text);

  it("runs, command by command, and tells of every operation", async () => {
    const receiver = await startReceiver();
    const known: Record<string, string> = {
      ...{ API: platform.baseUrl, KEY: platform.apiKey("acme"), URL: receiver.url },
      SINCE: new Date(Date.now() - 3_600_000).toISOString(),
    };
    for (const text of commands) {
      const [, names = "", command = ""] = /^((?:[A-Z]+=\S*\n)*)(.*)$/s.exec(text) ?? [];
      for (const [name] of names.matchAll(/^[A-Z]+/gm)) expect(known).toHaveProperty(name);
      const set = Object.entries(known).map(([name, value]) => `${name}=${value}\n`);
      const { data, ...refusal } = JSON.parse(await printed(set.join("") + command));
      expect({ command, refusal }).toEqual({ command, refusal: {} });
      const shown = {
        ...(data.standard_secret === undefined ? {} : { ENDPOINT: data.id }),
        ...(data.deliveries === undefined ? {} : { DELIVERY: data.deliveries[0].id }),
        ...(data.queued_count === undefined ? {} : { REPLAY: data.id }),
        ...(data.next_cursor === undefined ? {} : { CURSOR: data.next_cursor }),
      };
      Object.assign(known, shown);
    }
    await receiver.waitFor(1);
    await receiver.close();
    const commandsText = commands.join("").replaceAll(/\$[A-Z]+/g, "*");
    const { paths: described } = readDocument() as { paths: object };
    const paths = Object.keys(described).filter((path) => /v1\/(?:webhooks|events)/.test(path));
    const missing = paths.filter(
      (path) => !commandsText.includes(path.replaceAll(/\{\w+\}/g, "*")),
    );
    expect(missing).toEqual([]);
  });
});

describe("the README", () => {
  it("makes a first payout with curl", async () => {
    const output = await printed(program(readme, "/transfer/execute"));
    const { data } = JSON.parse(output.split(/^(?=\{)/m).at(-1) ?? "");
    expect(data).toMatchObject({
      id: id("po"),
      status: "succeeded",
      reference_id: "order-1001",
      source_amount: 250,
      unique_transaction_reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
  });

  it("is at most 150 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  it("leads to a page that lists corridors over gRPC", async () => {
    const text = program(local, "buf curl").replace("npx buf", "buf");
    const { corridors } = JSON.parse(await printed(text));
    expect(corridors.length).toBeGreaterThanOrEqual(15);
  });

  it("names every package and service that there is a room for", () => {
    for (const service of ["gateway", "beneficiary", "compliance", "quote", "payout", "notifier"]) {
      expect(readme).toContain(`(services/${service}/README.md)`);
    }
  });
});
