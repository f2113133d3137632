import { posix } from "node:path";
import { Client, type SFTPWrapper, type Stats } from "ssh2";
import type { Place } from "./after-crash.ts";
import { connected, SftpError, type SftpSettings } from "./connection.ts";

/** A file in a folder of the server. */
export type RemoteFile = {
  readonly name: string;
  readonly size: number;
  /** Seconds since 1970, by the server's clock. */
  readonly modifiedAt: number;
};

/** Opens a session, runs `work`, and closes the session. */
export async function withSftp<T>(
  settings: SftpSettings,
  work: (session: SftpSession) => Promise<T>,
): Promise<T> {
  const client = new Client();
  const ended = Promise.withResolvers<never>();
  // Prevents an unhandled rejection: the session may end after `work` is done, which is not a
  // failure.
  ended.promise.catch(() => undefined);
  const fail = (message: string, cause?: unknown): void => {
    ended.reject(new SftpError(message, { cause }));
  };
  const timer = setTimeout(() => fail("the session timed out"), settings.timeoutMs);
  client.on("error", (error) => fail(`the session failed: ${error.message}`, error));
  client.on("close", () => fail("the server closed the session"));
  try {
    const worked = connected(client, settings).then((sftp) => work(new SftpSession(sftp)));
    return await Promise.race([worked, ended.promise]);
  } finally {
    clearTimeout(timer);
    client.destroy();
  }
}

/**
 * The temporary name of a file during its upload. The bank does not process a file with this name.
 * The attempt number is part of the name, so that late data of an earlier attempt cannot change the
 * file of a later one.
 */
const partOf = (path: string, attempt: number) => `${path}.${attempt}.part`;

/** Valid names of our files. They contain no folder and do not start with a dot. */
const ownName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;

/** The bytes to read at once. Every SFTP version 3 server supports this size. */
const chunkBytes = 32_768;
const chunksAtOnce = 32;

/** Status codes of SFTP version 3. */
const endOfFile = 1;
const noSuchFile = 2;
const permissionDenied = 3;
const unsupported = 8;

export class SftpSession {
  readonly #sftp: SFTPWrapper;

  constructor(sftp: SFTPWrapper) {
    this.#sftp = sftp;
  }

  /**
   * Uploads a file under a temporary name, has the server write it to disk, and renames it to its
   * final name. `mayRename` is called just before the rename. If `mayRename` returns false, the
   * file keeps its temporary name and the result is `held`. The result is `present` if the bank
   * already has the same file. A different file with this name stays, and the upload fails.
   */
  async upload(
    folder: string,
    name: string,
    bytes: Uint8Array,
    mayRename: () => Promise<boolean> = async () => true,
    attempt = 1,
  ): Promise<"uploaded" | "present" | "held"> {
    const path = this.#pathOf(folder, name);
    if (await this.#isThere(path, bytes)) return "present";
    const part = partOf(path, attempt);
    await this.#write(part, Buffer.from(bytes));
    const { size } = await this.#stat(part);
    if (size !== bytes.length)
      throw new SftpError(
        `the file has ${size} bytes on the server, but ${bytes.length} were sent`,
      );
    if (!(await mayRename())) return "held";
    // This rename never replaces an existing file (SFTP version 3). OpenSSH's own rename extension
    // would.
    await this.#call((done) => this.#sftp.rename(part, path, done), "rename");
    return "uploaded";
  }

  /**
   * Finds our file: in its folder, in the bank's folders of processed files, or still under a
   * temporary name.
   */
  async place(
    folder: string,
    name: string,
    archives: readonly string[] = [],
    attempt = 1,
  ): Promise<Place> {
    const paths = [folder, ...archives].map((each) => this.#pathOf(each, name));
    for (const path of paths) {
      const found = await this.#find(path);
      if (found !== "absent") return found;
    }
    const part = await this.#find(partOf(this.#pathOf(folder, name), attempt));
    return part === "present" ? "part" : part;
  }

  /**
   * Deletes a temporary file, so that the process that wrote it can no longer rename it. Returns
   * `false` if the file is already gone, or if the server refuses.
   */
  async discard(folder: string, name: string, attempt = 1): Promise<boolean> {
    const part = partOf(this.#pathOf(folder, name), attempt);
    try {
      await this.#call<void>((done) => this.#sftp.unlink(part, done), "remove");
      return true;
    } catch (error) {
      const { code } = error instanceof SftpError ? error : {};
      if (code === noSuchFile || code === permissionDenied) return false;
      throw error;
    }
  }

  /** Lists the files of a folder, sorted by name. */
  async list(folder: string): Promise<RemoteFile[]> {
    const entries = await this.#call<{ filename: string; attrs: Stats }[]>((done) => {
      this.#sftp.readdir(folder, (error, list) => done(error, list));
    }, "list");
    return entries
      .filter(({ filename, attrs }) => attrs.isFile() && !/[/\p{Cc}]/u.test(filename))
      .map(({ filename, attrs }) => {
        return { name: filename, size: attrs.size, modifiedAt: attrs.mtime };
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Downloads a listed file. Returns `undefined` if the file has changed since the listing, because
   * the bank may still be writing it. Fails for a file of more than `bytesMax`.
   */
  async download(
    folder: string,
    { name, size, modifiedAt }: RemoteFile,
    bytesMax: number,
  ): Promise<Uint8Array | undefined> {
    if (size > bytesMax)
      throw new SftpError(`the file has ${size} bytes; the maximum is ${bytesMax}`);
    const path = posix.join(folder, name);
    const bytes = await this.#read(path, size);
    const { size: sizeNow, mtime } = await this.#stat(path);
    const isSame = bytes.length === size && sizeNow === size && mtime === modifiedAt;
    return isSame ? bytes : undefined;
  }

  #pathOf(folder: string, name: string): string {
    if (!ownName.test(name))
      throw new SftpError("the file name does not have the form of our bank file names");
    return posix.join(folder, name);
  }

  async #isThere(path: string, bytes: Uint8Array): Promise<boolean> {
    if ((await this.#find(path)) !== "present") return false;
    const { size } = await this.#stat(path);
    const isSame = size === bytes.length && Buffer.from(bytes).equals(await this.#read(path, size));
    if (!isSame) throw new SftpError("the folder has a file of this name with other content");
    return true;
  }

  async #find(path: string): Promise<"present" | "absent" | "not-said"> {
    try {
      await this.#stat(path);
      return "present";
    } catch (error) {
      if (!(error instanceof SftpError)) throw error;
      if (error.code === noSuchFile) return "absent";
      if (error.code === permissionDenied) return "not-said";
      throw error;
    }
  }

  #stat(path: string): Promise<Stats> {
    return this.#call(
      (done) => this.#sftp.stat(path, (error, stats) => done(error, stats)),
      "stat",
    );
  }

  async #write(path: string, bytes: Buffer): Promise<void> {
    const sftp = this.#sftp;
    const handle = await this.#call<Buffer>((done) => sftp.open(path, "w", done), "open");
    await this.#call<void>((done) => {
      sftp.write(handle, bytes, 0, bytes.length, 0, (error) => done(error));
    }, "write");
    await this.#fsync(handle);
    await this.#call<void>((done) => sftp.close(handle, done), "close");
  }

  /** Has the server write the file to disk, if the server supports OpenSSH's fsync extension. */
  async #fsync(handle: Buffer): Promise<void> {
    try {
      await this.#call<void>((done) => this.#sftp.ext_openssh_fsync(handle, done), "fsync");
    } catch (error) {
      // ssh2 reports a missing extension itself. Some servers report it only after the request.
      const isUnknown = error instanceof Error && /does not support/.test(error.message);
      if (!isUnknown && !(error instanceof SftpError && error.code === unsupported)) throw error;
    }
  }

  /** Reads up to the size that was listed, so that a growing file is not read forever. */
  async #read(path: string, size: number): Promise<Buffer> {
    const sftp = this.#sftp;
    const handle = await this.#call<Buffer>((done) => sftp.open(path, "r", done), "open");
    const bytes = Buffer.alloc(size);
    let end = size;
    for (let from = 0; from < end; from += chunkBytes * chunksAtOnce) {
      const offsets = Array.from({ length: chunksAtOnce }, (_, at) => from + at * chunkBytes);
      const chunks = offsets
        .filter((offset) => offset < end)
        .map((offset) => this.#readChunk(handle, bytes, offset));
      const shortest = (await Promise.all(chunks)).find(({ isEnd }) => isEnd);
      if (shortest !== undefined) end = shortest.at;
    }
    await this.#call<void>((done) => sftp.close(handle, done), "close");
    return bytes.subarray(0, end);
  }

  /**
   * Reads one chunk into `bytes`, starting at `offset`. `isEnd` is true if the file ended before
   * the chunk was full.
   */
  async #readChunk(handle: Buffer, bytes: Buffer, offset: number) {
    const to = Math.min(offset + chunkBytes, bytes.length);
    let at = offset;
    while (at < to) {
      const count = await this.#readOnce(handle, bytes, at, to - at);
      if (count === 0) return { at, isEnd: true };
      at += count;
    }
    return { at, isEnd: false };
  }

  /**
   * Returns the number of bytes read. It can be less than requested, and is 0 at the end of the
   * file.
   */
  async #readOnce(handle: Buffer, bytes: Buffer, at: number, length: number): Promise<number> {
    try {
      return await this.#call<number>((done) => {
        this.#sftp.read(handle, bytes, at, length, at, (error, count) => done(error, count));
      }, "read");
    } catch (error) {
      if (error instanceof SftpError && error.code === endOfFile) return 0;
      throw error;
    }
  }

  async #call<T>(
    start: (done: (error?: Error | null, value?: T) => void) => void,
    what: string,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    start((error, value) => {
      if (error == null) resolve(value as T);
      else
        reject(
          new SftpError(`the SFTP operation ${what} failed: ${error.message}`, { cause: error }),
        );
    });
    return promise;
  }
}
