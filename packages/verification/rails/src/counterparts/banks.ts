import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasOpenSsh, startOpenSsh } from "@disburse/bank-simulator/openssh.ts";
import { BankSimulator, type SimulatorOptions } from "@disburse/bank-simulator/simulator.ts";
import { type BankName, bankRails } from "./bank-rails.ts";

/** Banks behind an SFTP server, one for each account. */
export type Banks = Awaited<ReturnType<typeof startBanks>>;

/** Why there are no banks here; `undefined` where they are. */
export function whyNoBanks(): string | undefined {
  return hasOpenSsh
    ? undefined
    : "OpenSSH is not here: sshd and ssh-keygen (Debian: openssh-server)";
}

/** How each bank is: its fates, what it does with duplicates and with what it took. */
type BankChoices = Partial<Omit<SimulatorOptions, "outgoing" | "incoming" | "archive">>;

/** How the banks are, each by itself, and how many payments fill a file: it leaves at once then. */
export type BanksOptions = {
  readonly names: readonly BankName[];
  readonly choices: (name: BankName) => BankChoices;
  readonly paymentsMax: (name: BankName) => number;
};

/** Starts the server and the banks; our key is written into `folder`. */
export async function startBanks(folder: string, { names, choices, paymentsMax }: BanksOptions) {
  const each = names.flatMap((name) => [name, `${name}/outgoing`, `${name}/incoming`]);
  const server = await startOpenSsh(each);
  const keyFile = join(folder, "sftp-key");
  writeFileSync(keyFile, server.settings.privateKey, { mode: 0o600 });
  const { host, port, username, hostKeys } = server.settings;
  const places = (name: BankName) => ({
    outgoing: join(server.folder, name, "outgoing"),
    incoming: join(server.folder, name, "incoming"),
  });
  const banks = new Map(
    names.map((name) => {
      const bank = { ...places(name), name: name.replaceAll("-", "").toUpperCase() };
      return [name, new BankSimulator({ ...choices(name), ...bank })] as const;
    }),
  );
  const sftpOf = (name: BankName) => ({
    host,
    port,
    username,
    host_keys: hostKeys,
    private_key_file: keyFile,
    ...places(name),
    poll_seconds: 1,
    timeout_seconds: 20,
  });
  const settings = names.map((name) => {
    const { profile: ofBank, ...rail } = bankRails[name];
    const { duplicates = "refuse" } = choices(name);
    return {
      ...rail,
      rail: name,
      sftp: sftpOf(name),
      refuses_duplicates: duplicates !== "pay",
      profile: { ...ofBank, payments_max: paymentsMax(name) },
    };
  });
  // Too long for a variable of an environment.
  const settingsFile = join(folder, "bank-rails.json");
  writeFileSync(settingsFile, JSON.stringify(settings), { mode: 0o600 });
  return {
    /** As `BANK_RAILS_FILE` names it. */
    settingsFile,
    address: `${host}:${port}`,
    of: (name: BankName) => {
      const found = banks.get(name);
      if (found === undefined) throw new Error(`there is no ${name}`);
      return found;
    },
    names,
    places,
    stop: async (): Promise<void> => {
      await Promise.all([...banks.values()].map((bank) => bank.stop()));
      await server.stop();
    },
  };
}
