import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneOf, readArguments, runCommand, say } from "@disburse/harness/command-line.ts";
import { hasOpenSsh, startOpenSsh } from "./openssh.ts";
import { type OutcomeRule, outcomes, outcomesByRules } from "./outcomes.ts";
import { BankSimulator } from "./simulator.ts";

/**
 * `npm run bank` starts a bank behind an SFTP server on this machine and runs until you stop it.
 */

const usage =
  "usage: npm run bank [-- --outcome returned:name=lovelace] [--outcome rejected:amount=12.34]…\n" +
  "       [--duplicates refuse|ignore|pay] [--day-seconds 60]";

const optionTypes = {
  outcome: { type: "string", multiple: true },
  duplicates: { type: "string", default: "refuse" },
  "day-seconds": { type: "string", default: "60" },
} as const;

/** Parses `returned:name=lovelace` or `rejected:amount=12.34`. */
function ruleOf(text: string): OutcomeRule {
  const [, outcome = "", by = "", value = ""] = /^([a-z-]+):(name|amount)=(.+)$/.exec(text) ?? [];
  return { outcome: oneOf(outcomes, outcome, usage), [by]: value };
}

await runCommand(async (args) => {
  const values = readArguments(args, optionTypes, usage);
  const duplicates = oneOf(["refuse", "ignore", "pay"] as const, values.duplicates, usage);
  const outcomeOf = outcomesByRules((values.outcome ?? []).map(ruleOf));
  if (!hasOpenSsh) {
    process.stderr.write("The bank needs OpenSSH: sshd and ssh-keygen (Debian: openssh-server).\n");
    return 1;
  }
  const server = await startOpenSsh(["outgoing", "incoming"]);
  const [outgoing, incoming] = [join(server.folder, "outgoing"), join(server.folder, "incoming")];
  const bank = new BankSimulator({ outgoing, incoming, duplicates, outcomeOf, pace: 1_000 });
  const keys = mkdtempSync(join(tmpdir(), "disburse-bank-"));
  const keyFile = join(keys, "key");
  writeFileSync(keyFile, server.settings.privateKey, { mode: 0o600 });
  const { host, port, username, hostKeys } = server.settings;
  say(`sftp -i ${keyFile} -P ${port} ${username}@${host}`);
  say(`host key ${hostKeys.join(" ")}`);
  say(`we put files into ${outgoing}, and find the bank's in ${incoming}`);
  say(`a statement of each account comes every ${values["day-seconds"]} s`);
  const closing = setInterval(() => void bank.closeDay(), Number(values["day-seconds"]) * 1_000);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  clearInterval(closing);
  await bank.stop();
  await server.stop();
  rmSync(keys, { recursive: true, force: true });
  return 0;
});
