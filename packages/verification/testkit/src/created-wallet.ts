import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../../../..");

/**
 * Creates a wallet by the command of docs/operators/going-live.md that contains `name`. Returns its
 * files, and what the command prints.
 */
export function createWallet(name: string) {
  const page = readFileSync(join(root, "docs/operators/going-live.md"), "utf8");
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
  const command = blocks.find((block) => block.includes("KEYS=") && block.includes(name));
  if (command === undefined) throw new Error(`the page has no command with ${name}`);
  const [, own = ""] = /-m 700 ~\/(\S+)/.exec(command) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "disburse-wallet-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const run = () =>
    execFileSync("sh", ["-c", command], {
      // The command finds libraries in the checkout.
      cwd: root,
      env: { PATH, HOME: folder },
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  return {
    printed: run(),
    run,
    keystoreFile: join(folder, own, "wallet.json"),
    passwordFile: join(folder, own, "password"),
  };
}
