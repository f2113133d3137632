import type { BankServer, BankSession } from "./sending.ts";

/** Wraps each operation at the bank's server. A test can end the process before or after it. */
export type Intercept = <T>(act: () => Promise<T>) => Promise<T>;

const partOf = (name: string, attempt: number) => `${name}.${attempt}.part`;

/** Creates a bank's server in memory, with folders as a rail sees them. */
export function createTestServer() {
  const folders = new Map<string, Map<string, { bytes: Uint8Array; modifiedAt: number }>>();
  const folder = (name: string) => {
    const found = folders.get(name) ?? new Map();
    folders.set(name, found);
    return found;
  };
  const knobs = { isAway: false, isArchiveHidden: false };
  /** All files that ever had a final name. The bank may have processed and paid them. */
  const sent: { name: string; bytes: Uint8Array }[] = [];
  let ticks = 0;
  const sessionFor = (intercept: Intercept): BankSession => ({
    upload: async (to, name, bytes, mayRename, attempt) => {
      const temporary = partOf(name, attempt);
      const there = folder(to).get(name);
      if (there !== undefined) {
        if (Buffer.from(there.bytes).equals(Buffer.from(bytes))) return "present";
        throw new Error("the folder has a file of this name with other content");
      }
      await intercept(async () => folder(to).set(temporary, { bytes, modifiedAt: ++ticks }));
      if (!(await mayRename())) return "held";
      await intercept(async () => {
        const part = folder(to).get(temporary);
        if (part === undefined) throw new Error("no such file");
        // In SFTP version 3, a rename never replaces an existing file.
        if (folder(to).has(name)) throw new Error("the folder already has a file of this name");
        folder(to).delete(temporary);
        folder(to).set(name, part);
        sent.push({ name, bytes: part.bytes });
      });
      return "uploaded";
    },
    place: async (from, name, archives, attempt) => {
      for (const each of [from, ...archives]) if (folder(each).has(name)) return "present";
      if (folder(from).has(partOf(name, attempt))) return "part";
      return knobs.isArchiveHidden ? "not-said" : "absent";
    },
    discard: (from, name, attempt) =>
      intercept(async () => folder(from).delete(partOf(name, attempt))),
    list: async (from) =>
      [...folder(from)].map(([name, { bytes, modifiedAt }]) => ({
        ...{ name, size: bytes.length, modifiedAt },
      })),
    download: async (from, { name }) => folder(from).get(name)?.bytes,
  });
  const serverFor = (intercept: Intercept): BankServer => ({
    ...{ timeoutMs: 60_000, outgoing: "/outgoing", incoming: "/incoming", archives: [] },
    inSession: async (work) => {
      if (knobs.isAway) throw new Error("the server is away");
      return work(sessionFor(intercept));
    },
  });
  return {
    knobs,
    serverFor,
    server: serverFor((act) => act()),
    sent: () => sent,
    names: (of: string) => [...folder(of).keys()],
    /** Makes the bank move sent files to a folder that the rail can't see. */
    takeAway: () => {
      for (const { name } of sent) folder("/outgoing").delete(name);
    },
    /** Makes the server lose its files, including temporary ones. */
    lose: () => folder("/outgoing").clear(),
    /** Makes the bank rename or remove a file in its outgoing folder. */
    rename: (name: string, to?: string) => {
      const file = folder("/incoming").get(name);
      folder("/incoming").delete(name);
      if (file !== undefined && to !== undefined) folder("/incoming").set(to, file);
    },
    put: (name: string, bytes: Uint8Array) =>
      folder("/incoming").set(name, { bytes, modifiedAt: ++ticks }),
  };
}
