import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import {
  hasOpenSsh,
  type OpenSsh,
  openSshReason,
  startOpenSsh,
} from "@disburse/bank-simulator/openssh.ts";
import ssh2 from "ssh2";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { afterCrash } from "./after-crash.ts";
import { SftpError, type SftpSettings } from "./connection.ts";
import { type RemoteFile, type SftpSession, withSftp } from "./session.ts";

const otherKey = ssh2.utils.generateKeyPairSync("ed25519").private;

/** A busy machine needs a long timeout. */
const waiting = { interval: 2, timeout: 10_000 };

const bytes = (text: string) => new TextEncoder().encode(text);

describe.skipIf(!hasOpenSsh)(`files at a bank's OpenSSH server${openSshReason}`, () => {
  let server: OpenSsh;
  let folder: string;
  let count = 0;

  let files: SftpSession;
  const done = Promise.withResolvers<void>();
  let held: Promise<void>;

  beforeAll(async () => {
    server = await startOpenSsh();
    await new Promise<void>((resolve, reject) => {
      held = withSftp(server.settings, (session) => {
        files = session;
        resolve();
        return done.promise;
      });
      // It may end, by its time limit, long before it is awaited.
      held.catch(reject);
    });
  });
  afterAll(async () => {
    done.resolve();
    await held;
    await server.stop();
  });
  beforeEach(() => {
    count += 1;
    folder = join(server.folder, String(count));
    mkdirSync(folder, { mode: 0o777 });
    chmodSync(folder, 0o777);
  });

  const there = () => readdirSync(folder).toSorted();

  it("are written under another name, stored, and renamed", async () => {
    const large = new Uint8Array(300_000).fill(7);
    expect(await files.upload(folder, "M1.xml", large)).toBe("uploaded");
    expect(there()).toEqual(["M1.xml"]);
    expect(new Uint8Array(readFileSync(join(folder, "M1.xml")))).toEqual(large);
  });

  it("are there once, however often the same one is sent", async () => {
    const upload = () => files.upload(folder, "M1.xml", bytes("<a/>"));
    expect([await upload(), await upload()]).toEqual(["uploaded", "present"]);
    expect(there()).toEqual(["M1.xml"]);
  });

  it("keep their temporary name if the caller requests it at the last moment", async () => {
    const held = await files.upload(folder, "M1.xml", bytes("<a/>"), async () => {
      expect(there()).toEqual(["M1.xml.1.part"]);
      return false;
    });
    expect([held, there()]).toEqual(["held", ["M1.xml.1.part"]]);
    expect(await files.upload(folder, "M1.xml", bytes("<a/>"))).toBe("uploaded");
  });

  it("are never replaced by another one of the same name", async () => {
    await files.upload(folder, "M1.xml", bytes("<a/>"));
    for (const other of ["<b/>", "<aa/>"]) {
      const upload = files.upload(folder, "M1.xml", bytes(other));
      await expect(upload).rejects.toThrow("the folder has a file of this name with other content");
    }
    expect(readFileSync(join(folder, "M1.xml"), "utf8")).toBe("<a/>");
  });

  it("overwrite partial files that a crash left", async () => {
    writeFileSync(join(folder, "M1.xml.1.part"), "<a/><a/><a/>");
    chmodSync(join(folder, "M1.xml.1.part"), 0o666);
    expect(await files.place(folder, "M1.xml")).toBe("part");
    await files.upload(folder, "M1.xml", bytes("<a/>"));
    expect(there()).toEqual(["M1.xml"]);
    expect(readFileSync(join(folder, "M1.xml"), "utf8")).toBe("<a/>");
  });

  it("cannot be renamed once their temporary name is taken away", async () => {
    expect(await files.discard(folder, "M1.xml")).toBe(false);
    const late = files.upload(folder, "M1.xml", bytes("<a/>"), async () => {
      expect(await files.discard(folder, "M1.xml")).toBe(true);
      return true;
    });
    await expect(late).rejects.toThrow("the SFTP operation rename failed");
    expect(there()).toEqual([]);
    writeFileSync(join(folder, "M1.xml.1.part"), "<a/>");
    chmodSync(folder, 0o555);
    expect(await files.discard(folder, "M1.xml")).toBe(false);
  });

  it("have a temporary name of each attempt", async () => {
    writeFileSync(join(folder, "M1.xml.1.part"), "<a/>");
    expect(await files.place(folder, "M1.xml", [], 2)).toBe("absent");
    expect(await files.upload(folder, "M1.xml", bytes("<a/>"), async () => false, 2)).toBe("held");
    expect(await files.place(folder, "M1.xml", [], 2)).toBe("part");
    expect(await files.discard(folder, "M1.xml", 2)).toBe(true);
    expect(there()).toEqual(["M1.xml.1.part"]);
  });

  it("are found by name, even in the bank's other folders", async () => {
    const archive = join(folder, "done");
    mkdirSync(archive);
    chmodSync(archive, 0o777);
    const place = () => files.place(folder, "M1.xml", [archive]);
    expect(await place()).toBe("absent");
    writeFileSync(join(archive, "M1.xml"), "<a/>");
    expect(await place()).toBe("present");
  });

  it("are not known where the bank does not let us look", async () => {
    chmodSync(folder, 0o000);
    const place = files.place(folder, "M1.xml").finally(() => chmodSync(folder, 0o777));
    expect(await place).toBe("not-said");
  });

  it("are listed and read as they are", async () => {
    const large = "0123456789".repeat(250_000);
    writeFileSync(join(folder, "b.xml"), large, { mode: 0o644 });
    writeFileSync(join(folder, "a.xml"), "", { mode: 0o644 });
    mkdirSync(join(folder, "folder"));
    const listed = await files.list(folder);
    expect(listed.map(({ name, size }) => [name, size])).toEqual([
      ["a.xml", 0],
      ["b.xml", 2_500_000],
    ]);
    const contents = await Promise.all(
      listed.map((file) => files.download(folder, file, 2_500_000)),
    );
    const texts = contents.map((each) => new TextDecoder().decode(each));
    expect(texts).toEqual(["", large]);
  });

  it("are not taken while the bank writes them, nor where they are too large", async () => {
    const path = join(folder, "a.xml");
    const download = async (file: RemoteFile | undefined, bytesMax: number) => {
      if (file === undefined) throw new Error("no file is listed");
      return files.download(folder, file, bytesMax);
    };
    writeFileSync(path, "<a>", { mode: 0o644 });
    const [file] = await files.list(folder);
    appendFileSync(path, "</a>");
    expect(await download(file, 100)).toBeUndefined();
    const [grown] = await files.list(folder);
    expect(await download(grown, 100)).toEqual(Buffer.from("<a></a>"));
    await expect(download(grown, 6)).rejects.toThrow("the file has 7 bytes; the maximum is 6");
    writeFileSync(path, "<a>", { mode: 0o644 });
    expect(await download(grown, 100)).toBeUndefined();
  });

  it("have names without folders", async () => {
    for (const name of ["../M1.xml", ".M1.xml", "a/b", "", "a b"]) {
      const upload = files.upload(folder, name, bytes("<a/>"));
      await expect(upload).rejects.toThrow("does not have the form of our bank file names");
    }
    expect(there()).toEqual([]);
  });

  it("are not replaced by the rename either", async () => {
    const part = join(folder, "M1.xml.1.part");
    const own = join(folder, "M1.xml");
    const upload = files.upload(folder, "M1.xml", new Uint8Array(30_000_000));
    const late = vi.waitFor(() => expect(statSync(part).size).toBeGreaterThan(0), waiting);
    const written = late.then(() => writeFileSync(own, "<other/>", { mode: 0o666 }));
    await Promise.all([
      expect(upload).rejects.toThrow("the SFTP operation rename failed"),
      written,
    ]);
    expect(readFileSync(own, "utf8")).toBe("<other/>");
  });

  it("end with their session's time limit", async () => {
    const endless = withSftp({ ...server.settings, timeoutMs: 600 }, async () => {
      await Promise.withResolvers<void>().promise;
    });
    await expect(endless).rejects.toThrow("the session timed out");
  });

  it("have their own name only when they are whole, wherever the connection is cut", async () => {
    const large = new Uint8Array(60_000_000).fill(7);
    const part = join(folder, "M1.xml.1.part");
    const upload = withSftp(server.settings, (each) => each.upload(folder, "M1.xml", large));
    const cut = vi.waitFor(() => expect(statSync(part).size).toBeGreaterThan(0), waiting);
    await Promise.all([expect(upload).rejects.toThrow(SftpError), cut.then(() => server.cut())]);
    expect(there()).toEqual(["M1.xml.1.part"]);
    expect(statSync(part).size).toBeLessThan(large.length);
    expect(afterCrash(await files.place(folder, "M1.xml"), false)).toBe("send-again");
    expect(await files.upload(folder, "M1.xml", bytes("<a/>"))).toBe("uploaded");
    expect(there()).toEqual(["M1.xml"]);
  });

  it.each<[string, Partial<SftpSettings>, string]>([
    ["the server is another one", { hostKeys: ["SHA256:other"] }, "the session failed"],
    ["nothing listens", { port: 1 }, "the session failed"],
    ["the key is not ours", { privateKey: otherKey }, "authentication methods failed"],
  ])("are not sent where %s", async (_, changes, message) => {
    const upload = withSftp({ ...server.settings, ...changes }, (each) =>
      each.upload(folder, "M1.xml", bytes("<a/>")),
    );
    await expect(upload).rejects.toThrow(message);
    expect(there()).toEqual([]);
  });
});

describe("a server that does not respond", () => {
  it("ends a session by its time limit", async () => {
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const settings = { host: "127.0.0.1", port, username: "x", hostKeys: [] };
    const work = withSftp(
      { ...settings, privateKey: otherKey, timeoutMs: 200 },
      async () => undefined,
    );
    await expect(work).rejects.toThrow(/timed out/i);
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe("after a crash", () => {
  it.each([
    ["present", false, "sent"],
    ["present", true, "sent"],
    ["part", false, "send-again"],
    ["part", true, "send-again"],
    ["absent", false, "ask-operator"],
    ["absent", true, "send-again"],
    ["not-said", false, "ask-operator"],
    ["not-said", true, "send-again"],
  ] as const)(
    "a file that is %s, at a bank that refuses duplicates: %s, %s",
    (place, refuses, next) => {
      expect(afterCrash(place, refuses)).toBe(next);
    },
  );
});
