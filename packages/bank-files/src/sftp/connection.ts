import { createHash } from "node:crypto";
import type { Client, SFTPWrapper } from "ssh2";

/** A bank's SFTP server. Never log it: it contains a private key. */
export type SftpSettings = {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** In OpenSSH or PEM format, without a passphrase. */
  readonly privateKey: string;
  /** Fingerprints as `ssh-keygen -lf` prints them (`SHA256:…`); two while the bank rotates. */
  readonly hostKeys: readonly string[];
  /** The time limit of a whole session, which then fails. */
  readonly timeoutMs: number;
};

/** A session failed, or the server refused. The current operation may or may not have completed. */
export class SftpError extends Error {
  override readonly name = "SftpError";
  /** The server's SFTP version 3 status code, if it gave one. */
  readonly code: number | undefined;

  constructor(message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    const { cause } = options ?? {};
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    this.code = typeof code === "number" ? code : undefined;
  }
}

/** Connects and starts SFTP. Rejects if the server's host key is not one of the settings. */
export function connected(client: Client, settings: SftpSettings): Promise<SFTPWrapper> {
  const { host, port, username, privateKey, hostKeys, timeoutMs } = settings;
  const { promise, resolve, reject } = Promise.withResolvers<SFTPWrapper>();
  client.on("ready", () => {
    // Otherwise a request and its response would wait for 40 ms of delayed acknowledgements.
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

/** The format of `ssh-keygen -lf`. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
