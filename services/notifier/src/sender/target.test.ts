import { describe, expect, it } from "vitest";
import { createTargets } from "./sender.ts";

describe("a target", () => {
  it("has the origin, and the path with its query, as they are sent", () => {
    const targetOf = createTargets({ policy: "public" });
    const target = { origin: "https://xn--bcher-kva.example:8443", path: "/a%20b?c=d" };
    expect(targetOf("https://bücher.example:8443/a%20b?c=d")).toEqual(target);
  });

  it("stays what it is, remembered or not", () => {
    const targetOf = createTargets({ policy: "public" });
    for (let round = 0; round < 2; round += 1) {
      for (let at = 0; at < 1_500; at += 1) {
        const url = `https://h${at}.example.com`;
        expect(targetOf(`${url}/`)).toEqual({ origin: url, path: "/" });
        expect(targetOf("https://127.0.0.1/")).toBeUndefined();
      }
    }
  });
});
