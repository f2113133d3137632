import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "disburse-docs-"));
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ docsFolder: join(folder, "dist") });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers = {}) => gateway.ask({ path, headers });

describe("/docs without a build", () => {
  it("is a small page with links that work", async () => {
    const { status, headers, text } = await get("/docs");
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, href = ""]) => href);
    expect(links).toEqual(["/docs/tutorials/first-payout.md", "/openapi.json", "/llms.txt"]);
    for (const link of links) expect((await get(link)).status).toBe(200);
    expect((await get("/docs/tutorials/first-payout.md")).text).toContain("# First payout");
    expect((await get("/docs/operations/execute-payout")).status).toBe(404);
  });

  it.each(["/", "/docs/"])("is where %s leads", async (path) => {
    const { status, headers, text } = await get(path);
    expect([status, headers.location, text]).toEqual([302, "/docs", ""]);
  });

  it.each(["/docs", "/openapi.json", "/openapi.yaml"])(
    "%s is read only, also by HEAD",
    async (path) => {
      const head = await gateway.ask({ path, method: "HEAD" });
      expect(head).toMatchObject({ status: 200, text: "" });
      expect(Number(head.headers["content-length"])).toBeGreaterThan(400);
      const post = await gateway.ask({ path, method: "POST", body: "{}" });
      expect(post).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
    },
  );
});

describe("/docs with a build", () => {
  beforeAll(() => {
    const dist = join(folder, "dist");
    for (const [name, text] of Object.entries({
      "_astro/page.abc123.js": "export {};",
      "errors/index.html": "<title>Errors</title>",
      "errors.md": "# Errors",
      "llms.txt": "# Disburse",
      "llms-full.txt": "# All",
      "index.html": "<title>Disburse</title>",
    })) {
      mkdirSync(join(dist, name, ".."), { recursive: true });
      writeFileSync(join(dist, name), text);
    }
    writeFileSync(join(folder, "secret.txt"), "not served");
  });

  it("serves each page at its own address, and its Markdown version", async () => {
    for (const [path, text, type] of [
      ["/docs", "<title>Disburse</title>", "text/html"],
      ["/docs/errors", "<title>Errors</title>", "text/html"],
      ["/docs/errors/", "<title>Errors</title>", "text/html"],
      ["/docs/errors.md", "# Errors", "text/markdown"],
      ["/llms.txt", "# Disburse", "text/plain"],
      ["/llms-full.txt", "# All", "text/plain"],
    ] as const) {
      const page = await get(path);
      expect([path, page.status, page.text]).toEqual([path, 200, text]);
      expect(page.headers).toMatchObject({
        "content-type": `${type}; charset=utf-8`,
        "cache-control": "no-cache",
        "content-security-policy": "frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
      });
    }
  });

  it("keeps files with hashed names for ever, compressed", async () => {
    const { headers } = await get("/docs/_astro/page.abc123.js", { "accept-encoding": "br" });
    expect(headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "br",
      vary: "Accept-Encoding",
    });
  });

  it("sends a page again only if it has changed", async () => {
    const headers = { "accept-encoding": "gzip" };
    const first = await get("/docs", headers);
    const again = await get("/docs", { ...headers, "if-none-match": String(first.headers.etag) });
    expect([first.status, again.status, again.text]).toEqual([200, 304, ""]);
  });

  it.each(["/docs/x", "/docs/../secret.txt", "/docs/%2e%2e/secret.txt", "/docs/_astro"])(
    "%s is no route",
    async (path) => {
      const { status, json } = await get(path);
      expect({ status, code: json.code }).toEqual({ status: 404, code: "ROUTE_NOT_FOUND" });
    },
  );
});
