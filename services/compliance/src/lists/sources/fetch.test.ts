import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FetchLimits, fetchFiles, redirected, type Validator } from "./fetch.ts";

let server: Server;
let respond: RequestListener;
let requests: { url: string; tag: string; since: string }[];
let url: string;
let folder: string;

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    const { "if-none-match": tag = "", "if-modified-since": since = "" } = request.headers;
    requests.push({ url: request.url ?? "", tag, since });
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), "sources-"));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const limits = (change: Partial<FetchLimits> = {}): FetchLimits => ({
  ...{ bytesMax: 1_000, timeoutMs: 10_000, stop: new AbortController().signal },
  ...change,
});
const fetchOne = (known: readonly Validator[] = [], change: Partial<FetchLimits> = {}) =>
  fetchFiles([{ name: "", url: `${url}/list.csv?token=secret` }], known, limits(change));
const read = (fetched: Awaited<ReturnType<typeof fetchOne>>) => {
  if (fetched === "unchanged" || "problem" in fetched) throw new Error(JSON.stringify(fetched));
  return { ...fetched, texts: fetched.files.map(({ bytes }) => Buffer.from(bytes).toString()) };
};

describe("fetchFiles of a URL", () => {
  const modified = "Fri, 03 May 2024 14:30:00 GMT";

  it("reads the whole body, and again only when it changed", async () => {
    respond = (request, response) => {
      const isSame = request.headers["if-none-match"] === '"v1"';
      response.writeHead(isSame ? 304 : 200, { etag: '"v1"', "last-modified": modified });
      response.end(isSame ? undefined : "a,b\r\n");
    };
    const first = read(await fetchOne());
    expect(first.texts).toEqual(["a,b\r\n"]);
    expect(first.modifiedAt).toEqual(new Date("2024-05-03T14:30:00Z"));
    expect(first.validators[0]?.location).toBe(`${url}/list.csv`);
    expect(await fetchOne(first.validators)).toBe("unchanged");
    expect(requests).toEqual([
      { url: "/list.csv?token=secret", tag: "", since: "" },
      { url: "/list.csv?token=secret", tag: '"v1"', since: modified },
    ]);
  });

  it("requests plain bytes, unpacks others all the same, and leaves a packed file", async () => {
    const packed = gzipSync("a,b");
    let encoding: unknown;
    respond = (request, response) => {
      encoding = request.headers["accept-encoding"];
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
    };
    expect([read(await fetchOne()).texts, encoding]).toEqual([["a,b"], "identity"]);
    respond = (_, response) => void response.end(packed);
    expect(Buffer.from(read(await fetchOne()).files[0]?.bytes ?? [])).toEqual(packed);
  });

  it("accepts an empty body: the list is refused, not the response", async () => {
    respond = (_, response) => void response.end();
    expect(read(await fetchOne()).texts).toEqual([""]);
  });

  it.each<[string, RequestListener, string]>([
    ["an error", (_, response) => response.writeHead(500).end("x"), "answered 500"],
    ["304 without a condition", (_, response) => response.writeHead(304).end(), "answered 304"],
    [
      "a body that ends early",
      (_, response) => {
        response.writeHead(200, { "content-length": "100" }).write("a,b");
        setImmediate(() => response.destroy());
      },
      "could not be read",
    ],
    [
      "too much",
      (_, response) => response.writeHead(200).end("x".repeat(1_001)),
      "is more than 1000 bytes",
    ],
    [
      "a bomb",
      (_, response) =>
        response
          .writeHead(200, { "content-encoding": "gzip" })
          .end(gzipSync(Buffer.alloc(1_000_000))),
      "is more than 1000 bytes",
    ],
    [
      "a circle",
      (_, response) => response.writeHead(302, { location: "/list.csv" }).end(),
      "redirects more than 5 times",
    ],
    [
      "a redirect to nowhere",
      (_, response) => response.writeHead(302).end(),
      "to an invalid address",
    ],
  ])("tells of %s without the query", async (_, wrong, problem) => {
    respond = wrong;
    const fetched = await fetchOne();
    expect(fetched).toEqual({ problem: expect.stringContaining(problem) });
    expect(fetched).toEqual({ problem: expect.stringContaining(`${url}/list.csv: `) });
    expect(JSON.stringify(fetched)).not.toContain("secret");
  });

  it("gives up on one that takes too long, before or within the body", async () => {
    const late = { problem: `${url}/list.csv: did not send a complete response in time` };
    respond = () => undefined;
    expect(await fetchOne([], { timeoutMs: 100 })).toEqual(late);
    respond = (_, response) => void response.writeHead(200).write("a");
    expect(await fetchOne([], { timeoutMs: 300 })).toEqual(late);
  });

  it("reports an unreachable server", async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await fetchOne()).toEqual({
      problem: `${url}/list.csv: could not be read (ECONNREFUSED)`,
    });
    server.listen(0);
  });

  it("follows a redirect", async () => {
    respond = (request, response) => {
      const isMoved = request.url !== "/there";
      if (isMoved) response.writeHead(301, { location: "/there" }).end();
      else response.end("a,b");
    };
    expect(read(await fetchOne()).texts).toEqual(["a,b"]);
  });

  it("reads every file of a list when one of them changed", async () => {
    const files = ["primary", "alternates"].map((name) => ({ name, url: `${url}/${name}` }));
    let version = "1";
    respond = ({ url: path, headers }, response) => {
      const tag = path === "/primary" ? version : "0";
      const isSame = headers["if-none-match"] === tag;
      response.writeHead(isSame ? 304 : 200, { etag: tag });
      response.end(isSame ? undefined : `${path}${tag}`);
    };
    const first = read(await fetchFiles(files, [], limits()));
    expect(await fetchFiles(files, first.validators, limits())).toBe("unchanged");
    version = "2";
    const second = read(await fetchFiles(files, first.validators, limits()));
    expect(second.texts).toEqual(["/primary2", "/alternates0"]);
    expect(second.files.map(({ name }) => name)).toEqual(["primary", "alternates"]);
  });
});

describe("redirected", () => {
  it.each([
    ["https://a.example/x", "/y", "https://a.example/y"],
    ["https://a.example/x", "https://b.example/y", "https://b.example/y"],
    ["http://a.example/x", "https://b.example/y", "https://b.example/y"],
    ["http://a.example/x", "http://b.example/y", "http://b.example/y"],
  ])("leads from %s by %s to %s", (from, location, to) => {
    expect(redirected(new URL(from), location)).toEqual(new URL(to));
  });

  it.each([
    ["https://a.example/x", "http://a.example/x"],
    ["http://a.example/x", "file:///etc/hostname"],
    ["https://a.example/x", "https://a:b@c.example/"],
    ["https://a.example/x", "https://"],
    ["https://a.example/x", null],
  ])("does not lead from %s to %s", (from, location) => {
    expect(redirected(new URL(from), location)).toHaveProperty("problem");
  });
});

describe("fetchFiles of a path", () => {
  it("reads a file again when its time or length is another", async () => {
    const path = join(folder, "list.jsonl");
    const files = [{ name: "", path }];
    await writeFile(path, "a");
    const at = new Date("2024-05-03T10:00:00Z");
    await utimes(path, at, at);
    const first = read(await fetchFiles(files, [], limits()));
    expect([first.texts, first.modifiedAt]).toEqual([["a"], at]);
    expect(await fetchFiles(files, first.validators, limits())).toBe("unchanged");
    await writeFile(path, "b");
    expect(read(await fetchFiles(files, first.validators, limits())).texts).toEqual(["b"]);
  });

  it("reports a missing file, or one that is too large", async () => {
    const path = join(folder, "list.jsonl");
    const files = [{ name: "", path }];
    const missing = { problem: `${path}: could not be read (ENOENT)` };
    expect(await fetchFiles(files, [], limits())).toEqual(missing);
    await writeFile(path, "x".repeat(1_001));
    const large = { problem: `${path}: is more than 1000 bytes` };
    expect(await fetchFiles(files, [], limits())).toEqual(large);
  });
});
