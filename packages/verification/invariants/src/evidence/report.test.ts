import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { startS3 } from "@disburse/testkit/s3.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { readSink } from "./report.ts";

const always = new Date(0);
const keys = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: "eu-west-1" };
let s3: Awaited<ReturnType<typeof startS3>>;
let client: S3Client;
beforeAll(async () => {
  for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
  s3 = await startS3("heads");
  client = new S3Client({ endpoint: s3.endpoint, forcePathStyle: true });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  client.destroy();
  await s3.stop();
});

const put = (Key: string, Body: string) =>
  client.send(new PutObjectCommand({ Bucket: "heads", Key, Body }));
const read = (from = always) => readSink("s3://heads/prod", from, s3.endpoint);

it("reads every line of the files of a folder, and says where there is none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "disburse-lines-"));
  writeFileSync(join(folder, "quote-1.jsonl"), "one\ntwo\n");
  writeFileSync(join(folder, "quote-2.jsonl"), "three\n");
  writeFileSync(join(folder, "other.txt"), "other\n");
  const found = await readSink(folder, always);
  expect(found?.lines.toSorted()).toEqual(["one", "three", "two"]);
  rmSync(folder, { recursive: true });
  expect(await readSink(folder, always)).toBeUndefined();
});

it("reads every object of a bucket under its prefix, a page after the other", async () => {
  for (const number of [1, 2, 3, 4, 5]) await put(`prod/quote/${number}.jsonl`, `${number}\n`);
  await put("production/quote/1.jsonl", "of another deployment\n");
  const found = await read();
  expect(found?.lines.toSorted()).toEqual(["1", "2", "3", "4", "5"]);
  expect(found?.flaws).toEqual([]);
  expect(await read(new Date(Date.now() + 2 * 86_400_000))).toEqual({ lines: [], flaws: [] });
});

it("reads what was hidden or written over, and says which object it is", async () => {
  await client.send(new DeleteObjectCommand({ Bucket: "heads", Key: "prod/quote/2.jsonl" }));
  await put("prod/quote/3.jsonl", "forged\n");
  const found = await read();
  expect(found?.lines.toSorted()).toEqual(["1", "2", "3", "4", "5", "forged"]);
  expect(found?.flaws).toEqual([
    expect.objectContaining({
      ...{ kind: "overlaid", service: "quote", subject: "object prod/quote/2.jsonl" },
      detail: expect.stringContaining("hidden by a delete marker"),
    }),
    expect.objectContaining({
      ...{ subject: "object prod/quote/3.jsonl", detail: expect.stringContaining("than one") },
    }),
  ]);
});
