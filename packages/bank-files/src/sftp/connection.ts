import { createHash } from "node:crypto";
import type { Client, SFTPWrapper } from "ssh2";

/** A bank's SFTP server. Never log it: it contains a private key. */
export type SftpSettings = {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** In OpenSSH or PEM format, without a passphrase. */
  readonly privateKey: string;
  /**
   * Accepted host keys, as `ssh-keygen -lf` prints them (`SHA256:…`). Set two while the bank
   * rotates its key.
   */
  readonly hostKeys: readonly string[];
  /** The time limit of a whole session. A session that exceeds the limit fails. */
  readonly timeoutMs: number;
};

/**
 * The session failed, or the server refused the request. It is unknown whether the current
 * operation completed.
 */
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

/** Connects and starts SFTP. Rejects if `hostKeys` does not contain the server's host key. */
export function connected(client: Client, settings: SftpSettings): Promise<SFTPWrapper> {
  const { host, port, username, privateKey, hostKeys, timeoutMs } = settings;
  const { promise, resolve, reject } = Promise.withResolvers<SFTPWrapper>();
  client.on("ready", () => {
    // Without this, delayed acknowledgements add 40 ms to each request.
    client.setNoDelay(true);
    client.sftp((error, sftp) => {
      if (error === undefined) resolve(sftp.on("error", reject));
      else
        reject(new SftpError(`the server did not start SFTP: ${error.message}`, { cause: error }));
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
