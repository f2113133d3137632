import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../test-gateway.ts";

let gateway: TestGateway;
let files: readonly string[];

beforeAll(async () => {
  gateway = await startTestGateway();
  const { text } = await gateway.ask({ path: "/docs" });
  files = [...new Set(text.match(/\/docs\/[0-9a-f]{16}\/[\w.-]+/g) ?? [])];
});
afterAll(() => gateway.stop());

/** Returns a response's bytes without decoding them. */
async function raw(path: string, accepted: string) {
  const headers = { "accept-encoding": accepted };
  const [response] = (await once(get(gateway.url + path, { headers }), "response")) as [
    IncomingMessage,
  ];
  return { encoding: response.headers["content-encoding"], body: await buffer(response) };
}

describe("/docs", () => {
  it("shows its content before any script has run", async () => {
    const { status, headers, text } = await gateway.ask({ path: "/docs" });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    expect(text).toContain('<h1 id="disburse">Disburse</h1>');
    expect(text).toContain("Send money out:");
    expect(text).toContain('<a href="/docs#/Payouts/executePayout">Execute payout');
    expect(text).toContain('<a href="/docs#/Webhook%20deliveries/redeliverWebhook">');
  });

  it.each(["/", "/docs/"])("is where %s leads", async (path) => {
    const { status, headers, text } = await gateway.ask({ path });
    expect([status, headers.location, text]).toEqual([302, "/docs", ""]);
  });

  it("has a page for each guide", async () => {
    for (const [path, text] of [
      ["/docs/webhooks", "webhook-signature"],
      ["/docs/webhooks-python", "hmac.compare_digest"],
      ["/docs/webhooks-go", "subtle.ConstantTimeCompare"],
      ["/docs/webhooks-java", "MessageDigest.isEqual"],
      ["/docs/errors", "INSUFFICIENT_BALANCE"],
      ["/docs/testing", "sandbox-return"],
    ] as const) {
      const page = await gateway.ask({ path });
      expect(page.status).toBe(200);
      expect(page.text).toContain(text);
      expect(page.text).toContain(`<a href="${path}" aria-current="page">`);
      expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    }
  });

  it("has known answers of webhooks, which guides link to", async () => {
    const answer = await gateway.ask({ path: "/docs/webhook-vectors.json" });
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(JSON.parse(answer.text).vectors.length).toBeGreaterThan(1);
    for (const path of ["/docs/webhooks", "/docs/webhooks-java", "/docs/testing"]) {
      const { text } = await gateway.ask({ path });
      expect(text).toContain('href="/docs/webhook-vectors.json"');
    }
  });

  it("shows each request in four languages, with a button that copies it", async () => {
    const { text } = await gateway.ask({ path: "/docs" });
    const figures = text.match(/<figure class="sample">.*?<\/figure>/gs) ?? [];
    expect(figures.length).toBeGreaterThan(4);
    for (const figure of figures) {
      const languages = [...figure.matchAll(/<pre data-language="(\w+)"/g)].map(([, it]) => it);
      expect(languages).toEqual(["curl", "typescript", "python", "go"]);
      expect(figure).toContain('class="copy"');
    }
  });

  it("may load only from its own origin", async () => {
    const { headers } = await gateway.ask({ path: "/docs" });
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
  });

  it("is not sent again to who has it", async () => {
    const first = await gateway.ask({ path: "/docs", headers: { "accept-encoding": "gzip" } });
    const again = await gateway.ask({
      path: "/docs",
      headers: { "accept-encoding": "gzip", "if-none-match": String(first.headers.etag) },
    });
    const other = await gateway.ask({
      path: "/docs",
      headers: { "accept-encoding": "br", "if-none-match": String(first.headers.etag) },
    });
    expect([first.status, again.status, other.status]).toEqual([200, 304, 200]);
    expect(again.text).toBe("");
  });

  it.each(["/docs", "/openapi.json"])("%s is read only, also by HEAD", async (path) => {
    const head = await gateway.ask({ path, method: "HEAD" });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(Number(head.headers["content-length"])).toBeGreaterThan(1_000);
    const post = await gateway.ask({ path, method: "POST", body: "{}" });
    expect(post).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
  });
});

describe("the files of /docs", () => {
  it("may be cached for ever, under a name with their content's hash", async () => {
    expect(files).toHaveLength(7);
    for (const path of files) {
      const { status, headers } = await gateway.ask({ path });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": expect.stringMatching(
          /^(?:text\/(?:javascript|css)|application\/json); charset=utf-8$/,
        ),
        "x-content-type-options": "nosniff",
        vary: "Accept-Encoding",
      });
      const [, , hash = ""] = path.split("/");
      expect(headers.etag).toContain(hash);
    }
  });

  it("come compressed as the caller can read it, with the same content", async () => {
    for (const path of [...files, "/openapi.json"]) {
      const plain = await raw(path, "identity");
      expect(plain.encoding).toBeUndefined();
      const br = await raw(path, "gzip, br");
      expect(br.encoding).toBe("br");
      expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
      const gzip = await raw(path, "gzip");
      expect(gzip.encoding).toBe("gzip");
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    }
  });

  it.each(["/docs/x", "/docs/0123456789abcdef/component.js", "/docs/../package.json"])(
    "%s is no route",
    async (path) => {
      const { status, json } = await gateway.ask({ path });
      expect({ status, code: json.code }).toEqual({ status: 404, code: "ROUTE_NOT_FOUND" });
    },
  );
});
