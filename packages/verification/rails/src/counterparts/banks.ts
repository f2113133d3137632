import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasOpenSsh, startOpenSsh } from "@disburse/bank-simulator/openssh.ts";
import { BankSimulator, type SimulatorOptions } from "@disburse/bank-simulator/simulator.ts";
import { type BankName, bankRails } from "./bank-rails.ts";

export type Banks = Awaited<ReturnType<typeof startBanks>>;

/** Returns the reason if banks can't run here. */
export function whyNoBanks(): string | undefined {
  return hasOpenSsh
    ? undefined
    : "OpenSSH is not here: sshd and ssh-keygen (Debian: openssh-server)";
}

/** A bank's outcomes and its handling of duplicates and processed files. */
type BankChoices = Partial<Omit<SimulatorOptions, "outgoing" | "incoming" | "archive">>;

/** `paymentsMax` is the number of payments that fills a file. */
export type BanksOptions = {
  readonly names: readonly BankName[];
  readonly choices: (name: BankName) => BankChoices;
  readonly paymentsMax: (name: BankName) => number;
};

/** Starts the server and the banks. Writes our key into `folder`. */
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
  // The settings are too long for an environment variable, so they are in a file.
  const settingsFile = join(folder, "bank-rails.json");
  writeFileSync(settingsFile, JSON.stringify(settings), { mode: 0o600 });
  return {
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
