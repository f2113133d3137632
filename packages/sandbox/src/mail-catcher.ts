import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";

/** Older e-mails are deleted. This many are enough to look at. */
const keptMax = 200;

/**
 * Starts a mail server on this machine that delivers nothing. It writes each e-mail to a file of the
 * folder, as the mail programs of a computer open it. File names sort by time.
 */
export async function startMailCatcher(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let count = 0;
  const store = async (mail: Buffer): Promise<void> => {
    count += 1;
    const time = new Date().toISOString().replaceAll(":", "-");
    await writeFile(join(folder, `${time}-${count}.eml`), mail, { mode: 0o600 });
    const names = (await readdir(folder)).filter((name) => name.endsWith(".eml")).toSorted();
    const old = names.slice(0, Math.max(0, names.length - keptMax));
    await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  };
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    logger: false,
    onData: (stream, _session, done) => {
      stream
        .toArray()
        .then((chunks) => store(Buffer.concat(chunks)))
        .then(() => done(), done);
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  // A sender that goes away in the middle of an e-mail is no fault of the sandbox.
  server.on("error", () => undefined);
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    stop: () => new Promise<void>((stopped) => server.close(() => stopped())),
  };
}
