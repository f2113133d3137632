import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const daemon = "/usr/sbin/sshd";

/** Requires Debian's `openssh-server` and the client's `ssh-keygen`. */
export const hasOpenSsh = existsSync(daemon) && existsSync("/usr/bin/ssh-keygen");

/** SFTP access for a client. Includes a private key: never log it. */
export type SftpAccess = {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly privateKey: string;
  /** Fingerprints of the host keys, in the format of `ssh-keygen -lf`. */
  readonly hostKeys: readonly string[];
  readonly timeoutMs: number;
};

/** Appended to the names of skipped tests. */
export const openSshReason = hasOpenSsh ? "" : " (skipped: Debian's openssh-server is not here)";

/** A private OpenSSH server with one user and one folder. */
export type OpenSsh = {
  readonly settings: SftpAccess;
  /** The path of the folder. The user sees it under the same path. */
  readonly folder: string;
  /** Kills the server process of the newest connection. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
};

/** If started by root, the server runs as this user, so that it needs no system folder. */
const nobody = 65_534;

/**
 * Starts a server on a free port. Each connection has its own daemon process, which ends with the
 * connection. Creates `folders` for the user.
 */
export async function startOpenSsh(folders: readonly string[] = []): Promise<OpenSsh> {
  const isRoot = process.getuid?.() === 0;
  // The user `nobody` may have no access to root's temporary folder.
  const home = mkdtempSync(join(isRoot ? "/tmp" : tmpdir(), "disburse-sftp-"));
  const own = (path: string, mode: number): void => {
    if (isRoot) chownSync(path, nobody, nobody);
    chmodSync(path, mode);
  };
  for (const name of ["host", "user"]) {
    const args = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(home, name)];
    execFileSync("/usr/bin/ssh-keygen", args);
  }
  const folder = join(home, "bank");
  mkdirSync(folder);
  const within = folders.map((name) => join(folder, name));
  for (const path of within) mkdirSync(path);
  for (const path of [home, folder, ...within]) own(path, 0o700);
  own(join(home, "host"), 0o600);
  const config = join(home, "sshd_config");
  writeFileSync(
    config,
    [
      `HostKey ${join(home, "host")}`,
      `AuthorizedKeysFile ${join(home, "user.pub")}`,
      // Without PAM, the daemon treats a user without a password as locked.
      ...["StrictModes no", "UsePAM yes", "PasswordAuthentication no", "PidFile none"],
      ...["KbdInteractiveAuthentication no", "Subsystem sftp internal-sftp"],
      "ForceCommand internal-sftp",
    ].join("\n"),
  );
  for (const file of [config, join(home, "user.pub")]) own(file, 0o644);
  const children = new Set<ChildProcess>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const user = isRoot ? { uid: nobody, gid: nobody } : {};
    const child = spawn(daemon, ["-i", "-f", config], {
      stdio: [socket, socket, "ignore"],
      ...user,
    });
    children.add(child);
    child.on("exit", () => {
      children.delete(child);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const username = isRoot ? "nobody" : execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
  const fingerprint = execFileSync("/usr/bin/ssh-keygen", ["-lf", join(home, "host.pub")], {
    encoding: "utf8",
  });
  return {
    folder,
    settings: {
      host: "127.0.0.1",
      port: (server.address() as AddressInfo).port,
      username,
      privateKey: readFileSync(join(home, "user"), "utf8"),
      hostKeys: [fingerprint.split(" ")[1] ?? ""],
      timeoutMs: 10_000,
    },
    cut: () => [...children].at(-1)?.kill("SIGTERM"),
    stop: async () => {
      // A daemon ends when its connection ends. Killing the daemon would leave its child processes
      // running.
      const ends = [...children].map((child) => once(child, "exit"));
      server.close();
      await Promise.all(ends);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
