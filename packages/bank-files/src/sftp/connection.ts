import { createHash } from "node:crypto";
import type { Client, SFTPWrapper } from "ssh2";

/** A bank's SFTP server. Never logged: it has a private key. */
export type SftpSettings = {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** In OpenSSH's or PEM form, without a passphrase. */
  readonly privateKey: string;
  /** Fingerprints as `ssh-keygen -lf` prints them (`SHA256:…`); two while the bank rotates. */
  readonly hostKeys: readonly string[];
  /** Of a session as a whole; it fails then. */
  readonly timeoutMs: number;
};

/** A session failed, or the server refused; what was under way may or may not have happened. */
export class SftpError extends Error {
  override readonly name = "SftpError";
  /** The server's answer by version 3 of SFTP, where it gave one. */
  readonly code: number | undefined;

  constructor(message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    const { cause } = options ?? {};
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    this.code = typeof code === "number" ? code : undefined;
  }
}

/** Connects, and asks for SFTP; rejects where the server is not the one that was meant. */
export function connected(client: Client, settings: SftpSettings): Promise<SFTPWrapper> {
  const { host, port, username, privateKey, hostKeys, timeoutMs } = settings;
  const { promise, resolve, reject } = Promise.withResolvers<SFTPWrapper>();
  client.on("ready", () => {
    // A question and its answer would wait for 40 ms of delayed acknowledgements.
    client.setNoDelay(true);
    client.sftp((error, sftp) => {
      if (error === undefined) resolve(sftp.on("error", reject));
      else reject(new SftpError(`the server has no SFTP: ${error.message}`, { cause: error }));
    });
  });
  client.connect({
    host,
    port,
    username,
    privateKey,
    readyTimeout: timeoutMs,
    hostVerifier: (key: Buffer) => hostKeys.includes(fingerprint(key)),
  });
  return promise;
}

/** As `ssh-keygen -lf` prints it. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
