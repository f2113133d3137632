import { describe, expect, it } from "vitest";
import { createTargets } from "./targets.ts";

describe("a target", () => {
  it.each([
    ["https://bücher.example:8443/a%20b?c=d", "xn--bcher-kva.example", 8_443, "/a%20b?c=d"],
    ["https://hooks.example.com", "hooks.example.com", 443, "/"],
    ["https://[2606:4700::1111]/x", "2606:4700::1111", 443, "/x"],
  ])("has the parts of %s as they are sent", (url, host, port, path) => {
    const target = { protocol: "https:", host, port, path };
    expect(createTargets({ policy: "public" })(url)).toEqual(target);
  });

  it("is the same with and without the cache", () => {
    const targetOf = createTargets({ policy: "public" });
    for (let round = 0; round < 2; round += 1) {
      for (let at = 0; at < 1_500; at += 1) {
        const url = `https://h${at}.example.com`;
        expect(targetOf(`${url}/`)).toMatchObject({ host: `h${at}.example.com`, path: "/" });
        expect(targetOf("https://127.0.0.1/")).toBeUndefined();
      }
    }
  });
});
