import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { startS3 } from "@disburse/testkit/s3.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createLog } from "../log.ts";
import { modeSetting, readSettings } from "../settings.ts";
import { openAuditSink } from "./open.ts";
import { s3Sink } from "./s3-sink.ts";
import { auditSettings } from "./settings.ts";
import { type AuditSink, fileSink } from "./sink.ts";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const clientOf = (endpoint: string) =>
  new S3Client({
    endpoint,
    credentials,
    region: "eu-west-1",
    forcePathStyle: true,
    maxAttempts: 1,
  });
const named = (day: string, number = 1) => ({ service: "quote", number, at: new Date(day) });

let folder: string;
let s3: Awaited<ReturnType<typeof startS3>>;
let client: S3Client;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "disburse-sink-"));
  s3 = await startS3("heads");
  client = clientOf(s3.endpoint);
});
afterEach(async () => {
  client.destroy();
  await s3.stop();
  rmSync(folder, { recursive: true });
});

/** Each kind of sink, and its stored lines in the order of their names. */
const kinds: [string, () => AuditSink, () => string[]][] = [
  [
    "of files",
    () => fileSink(join(folder, "a", "b")),
    () => {
      const inner = join(folder, "a", "b");
      const files = readdirSync(inner).toSorted();
      return files.flatMap((name) => readFileSync(join(inner, name), "utf8").trim().split("\n"));
    },
  ],
  [
    "in a bucket",
    () => s3Sink("s3://heads/a/b", 10, client),
    () =>
      s3.versions
        .toSorted((one, other) => (one.key < other.key ? -1 : 1))
        .map(({ body = "" }) => body.trim()),
  ],
];

describe.each(kinds)("a sink %s", (_kind, open, lines) => {
  it("has each line once it resolves, in order, and creates its own folder or object", async () => {
    const sink = open();
    for (const number of [1, 2, 9, 10]) {
      await sink.append(`line ${number}`, named("2026-11-23", number));
    }
    expect(lines()).toEqual(["line 1", "line 2", "line 9", "line 10"]);
    sink.close();
  });

  it("accepts a line again after a crash, and keeps earlier lines", async () => {
    await open().append("one", named("2026-11-23"));
    await open().append("one", named("2026-11-23"));
    expect(new Set(lines())).toEqual(new Set(["one"]));
  });

  it("keeps both lines of a repeated number", async () => {
    const sink = open();
    await sink.append("one", named("2026-11-23"));
    await sink.append("other", named("2026-11-23"));
    expect(lines().toSorted()).toEqual(["one", "other"]);
  });
});

describe("a sink of files", () => {
  it("has a file for each service and day", async () => {
    const sink = fileSink(folder);
    await sink.append("one", named("2026-11-23T23:59:59.999Z"));
    await sink.append("two", named("2026-11-23T00:00:00Z"));
    await sink.append("three", named("2026-11-24T00:00:00Z"));
    const files = ["quote-2026-11-23.jsonl", "quote-2026-11-24.jsonl"];
    expect(readdirSync(folder).toSorted()).toEqual(files);
    expect(readFileSync(join(folder, "quote-2026-11-23.jsonl"), "utf8")).toBe("one\ntwo\n");
  });

  it("begins a line of its own after one that a crash cut off", async () => {
    const sink = fileSink(folder);
    await sink.append("one", named("2026-11-23"));
    const path = join(folder, "quote-2026-11-23.jsonl");
    appendFileSync(path, '{"statement":"cut');
    await sink.append("two", named("2026-11-23"));
    expect(readFileSync(path, "utf8")).toBe('one\n{"statement":"cut\ntwo\n');
  });
});

describe("a sink in a bucket", () => {
  it("locks each object in mode COMPLIANCE until its time, so that none can be removed", async () => {
    await s3Sink("s3://heads", 10, client).append("one", named("2126-11-23", 42));
    const [object] = s3.versions;
    expect(object?.key).toMatch(/^quote\/000000000042-[0-9a-f]{16}\.jsonl$/);
    expect(object?.lock).toEqual({ mode: "COMPLIANCE", until: new Date("2126-12-03") });
    const VersionId = object?.id;
    const removal = new DeleteObjectCommand({ Bucket: "heads", Key: object?.key, VersionId });
    await expect(client.send(removal)).rejects.toMatchObject({ name: "AccessDenied" });
  });

  it("creates one object for a line whose answer was lost", async () => {
    const sink = s3Sink("s3://heads", 10, client);
    s3.state.losesAnswers = true;
    await expect(sink.append("one", named("2026-11-23"))).rejects.toThrow();
    s3.state.losesAnswers = false;
    await sink.append("one", named("2026-11-23"));
    expect(s3.versions).toHaveLength(1);
  });

  it("replaces nothing: another object under a line's name is a failure, and stays", async () => {
    const sink = s3Sink("s3://heads", 10, client);
    await sink.append("one", named("2026-11-23"));
    const [first] = s3.versions;
    const Body = "another\n";
    await client.send(new PutObjectCommand({ Bucket: "heads", Key: first?.key, Body }));
    await expect(sink.append("one", named("2026-11-23"))).rejects.toMatchObject({
      name: "PreconditionFailed",
    });
    expect(s3.versions.map(({ body }) => body)).toEqual(["one\n", Body]);
  });

  it("puts nothing into a bucket without object lock", async () => {
    const open = await startS3("heads", { hasLock: false });
    const other = clientOf(open.endpoint);
    const sink = s3Sink("s3://heads", 10, other);
    await expect(sink.append("one", named("2026-11-23"))).rejects.toThrow("no object lock");
    expect(open.versions).toEqual([]);
    other.destroy();
    await open.stop();
  });
});

describe("the setting AUDIT_SINK", () => {
  const lines: string[] = [];
  const log = createLog("quote", "warn", { write: (line: string) => void lines.push(line) });
  // Processes get the SDK's settings from their environment.
  const environment = {
    ...{ AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" },
    AWS_MAX_ATTEMPTS: "1",
  };
  beforeAll(() => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  });
  afterAll(() => void vi.unstubAllEnvs());
  const { AUDIT_SINK, AUDIT_S3_ENDPOINT, AUDIT_RETENTION_DAYS } = auditSettings;
  const shape = { AUDIT_SINK, AUDIT_S3_ENDPOINT, AUDIT_RETENTION_DAYS, DISBURSE_MODE: modeSetting };
  const open = (given: Record<string, string>, hasMesh = true) => {
    const settings = readSettings({ DISBURSE_MODE: "live", ...given }, shape);
    return openAuditSink({ ...settings, BACKEND_TLS_BY_MESH: hasMesh }, log);
  };
  const inBucket = (bucket: string) => ({
    ...{ AUDIT_SINK: `s3://${bucket}/prod`, AUDIT_S3_ENDPOINT: s3.endpoint },
  });

  it("is required in live mode", async () => {
    await expect(open({})).rejects.toThrow("settings: AUDIT_SINK: is required in live mode");
    expect(await open({ DISBURSE_MODE: "sandbox" })).toBeUndefined();
    const sink = await open({ AUDIT_SINK: pathToFileURL(folder).href });
    await sink?.append("one", named("2026-11-23"));
    expect(readdirSync(folder)).toEqual(["quote-2026-11-23.jsonl"]);
  });

  it.each(["ftp://sink.example/", "s3://", "s3://UPPER/x", "/audit", "s3://b"])(
    "is of a kind that there is, and not %s",
    (url) => {
      expect(() => open({ AUDIT_SINK: url })).toThrow(
        "settings: AUDIT_SINK: must be file:///folder or s3://bucket/prefix",
      );
    },
  );

  it("opens a bucket with object lock, which keeps lines for seven years", async () => {
    const sink = await open(inBucket("heads"));
    await sink?.append("one", named("2026-11-23"));
    expect(s3.versions).toMatchObject([
      { key: expect.stringMatching(/^prod\/quote\//), lock: { until: new Date("2033-11-23") } },
    ]);
    sink?.close();
  });

  it("refuses a missing bucket, or one without object lock, before anything starts", async () => {
    const other = await startS3("heads", { hasLock: false });
    const unlocked = { AUDIT_SINK: "s3://heads", AUDIT_S3_ENDPOINT: other.endpoint };
    await expect(open(unlocked)).rejects.toThrow(
      "settings: AUDIT_SINK: the bucket has no object lock",
    );
    await expect(open(inBucket("none"))).rejects.toThrow(
      "settings: AUDIT_SINK: the bucket's object lock cannot be read (NoSuchBucket)",
    );
    await other.stop();
  });

  it("refuses a store without TLS in live mode, unless a mesh encrypts", async () => {
    await expect(open(inBucket("heads"), false)).rejects.toThrow(
      "settings: AUDIT_S3_ENDPOINT: must be an https:// address in live mode",
    );
  });

  it("checks a bucket without a reply again before it writes a line", async () => {
    s3.state.isAway = true;
    const sink = await open(inBucket("heads"));
    expect(lines.join()).toContain(
      "the audit sink's bucket does not respond, so its object lock could not be checked",
    );
    await expect(sink?.append("one", named("2026-11-23"))).rejects.toThrow();
    s3.state.isAway = false;
    await sink?.append("one", named("2026-11-23"));
    expect(s3.versions).toHaveLength(1);
    sink?.close();
  });
});
