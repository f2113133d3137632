import { randomBytes } from "node:crypto";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { isRefused, otherContent } from "@disburse/kernel/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CheckedFile, checkFile, evidenceRules, fileBytesMax } from "./file.ts";
import { openFileStore, sealedFiles } from "./store.ts";

const key = (name: string) => `${name}:${randomBytes(32).toString("base64")}`;
const [oldKey, newKey] = [key("k1"), key("k2")];

let database: Database;
beforeAll(async () => {
  database = await migratedDatabase("files", []);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const store = (keys = oldKey) => openFileStore(database, createSealer(keys));
const added = (id: string) => {
  return { id, owner: "alr_1", addedBy: "ada", createdAt: new Date("2026-11-20T12:00:00Z") };
};

function checked(text: string, name = "note.txt"): CheckedFile {
  const file = checkFile({ name, content: Buffer.from(text) }, evidenceRules);
  if (isRefused(file)) throw new Error(file.detail);
  return file;
}

const documents = (name: string) => database.db.collection<{ _id: string }>(name);

it("returns a file as it was added, also of the greatest size", async () => {
  const content = "é".repeat(fileBytesMax / 2);
  const file = await store().add(added("fil_1"), checked(content, "Zoë’s note.txt"));
  expect(file).toMatchObject({
    name: "Zoë’s note.txt",
    mediaType: "text/plain",
    size: fileBytesMax,
  });
  const read = await store().read("fil_1");
  expect(read?.content.toString()).toBe(content);
  expect(read?.file).toEqual(file);
  expect(await store().list(["fil_none", "fil_1"])).toEqual([file]);
  expect(await store().read("fil_none")).toBeUndefined();
});

it("stores a repeat once, and refuses another content or name under the same id", async () => {
  const first = await store().add(added("fil_2"), checked("one"));
  expect(await store().add(added("fil_2"), checked("one"))).toEqual(first);
  expect(await store().add(added("fil_2"), checked("two"))).toBe(otherContent);
  expect(await store().add(added("fil_2"), checked("one", "other.txt"))).toBe(otherContent);
});

it("concurrent attempts store one file with one content", async () => {
  const before = await documents("file_contents").countDocuments();
  const same = Array.from({ length: 8 }, () => store().add(added("fil_3"), checked("same")));
  const files = await Promise.all(same);
  for (const file of files) expect(file).toEqual(files[0]);
  expect(await documents("file_contents").countDocuments()).toBe(before + 1);
  expect((await store().read("fil_3"))?.content.toString()).toBe("same");
});

it("keeps neither name, hash nor content in the clear", async () => {
  const file = checked("a secret passage", "passport of Orlan.txt");
  await store().add(added("fil_4"), file);
  const raw = await documents("files").findOne({ _id: "fil_4" });
  const all = await documents("file_contents").find().toArray();
  const bytes = all.map((each) => Buffer.from((each as never as { bytes: Buffer }).bytes.buffer));
  for (const plain of ["secret", "Orlan", file.sha256]) {
    expect(JSON.stringify(raw)).not.toContain(plain);
    expect(bytes.some((each) => each.includes(plain))).toBe(false);
  }
});

it("a rotation of keys seals the key of the content again, not the content", async () => {
  await store().add(added("fil_5"), checked("five"));
  const raw = await documents("files").findOne({ _id: "fil_5" });
  const change = sealedFiles.reseal(raw ?? {}, createSealer(`${newKey},${oldKey}`));
  expect(Object.keys(change?.set ?? {})).toEqual(["sealed"]);
  await documents("files").updateOne(
    { _id: "fil_5", ...change?.where },
    { $set: change?.set ?? {} },
  );
  expect((await store(newKey).read("fil_5"))?.content.toString()).toBe("five");
});

it("returns no content that was changed, and none under another file", async () => {
  await store().add(added("fil_6"), checked("six"));
  await store().add(added("fil_7"), checked("seven"));
  const seven = (await documents("files").findOne({ _id: "fil_7" })) as { content?: string } | null;
  await documents("files").updateOne({ _id: "fil_6" }, { $set: { content: seven?.content } });
  await expect(store().read("fil_6")).rejects.toThrow();
  await documents("file_contents").deleteOne({ _id: seven?.content ?? "" });
  await expect(store().read("fil_7")).rejects.toThrow("the content of file fil_7 is missing");
});

it.each([
  ["an empty content", { content: "" }, "content: must be 1 to"],
  [
    "a content that is too large",
    { content: "a".repeat(fileBytesMax + 1) },
    "content: must be 1 to",
  ],
  ["a program", { content: "\x7fELF\x02\x01" }, "content: must be of type application/pdf"],
  ["no name", { name: " " }, "name: must be 1 to 251"],
  ["a name that is too long", { name: "a".repeat(252) }, "name: must be 1 to 251"],
  ["a path", { name: "../a.txt" }, "name: must be 1 to 251"],
  ["a name with a line break", { name: "a\nb" }, "name: must be 1 to 251"],
])("refuses %s", (_what, given, problem) => {
  const { name, content } = { name: "note.txt", content: "text", ...given };
  const refused = checkFile({ name, content: Buffer.from(content) }, evidenceRules);
  expect(isRefused(refused) && refused.detail).toContain(problem);
});

it("a use may allow fewer types and bytes", () => {
  const rules = { mediaTypes: ["image/png"], bytesMax: 4 } as const;
  for (const content of ["text", "longer"]) {
    expect(isRefused(checkFile({ name: "logo", content: Buffer.from(content) }, rules))).toBe(true);
  }
});
