import { describe, expect, it } from "vitest";
import { headerNamesProblem } from "./header-names.ts";

const problemOf = (...names: string[]) => headerNamesProblem(names, "X-SERVICE-Signature");

describe("a merchant's header names", () => {
  it.each([
    [],
    ["Authorization"],
    ["X-Api-Key", "Cookie"],
    ["X-SERVICE-Signature-Next"],
    ["Hosts"],
  ])("%j, %j are taken", (...names) => {
    expect(problemOf(...names.filter((name) => name !== undefined))).toBeUndefined();
  });

  it.each([
    ...["Host", "connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding", "Upgrade"],
    ...["Expect", "HTTP2-Settings", "Proxy-Authorization", "proxy-connection"],
    ...["Content-Type", "content-length", "Content-Encoding", "Accept-Encoding", "User-Agent"],
    ...["webhook-id", "Webhook-Anything", "traceparent", "tracestate", "Date"],
    ...["x-service-signature", "X-Service-Signature-Previous"],
  ])("%s is refused", (name) => {
    expect(problemOf("Authorization", name)).toBe(
      `must not contain ${name}, because the platform sets it or it frames HTTP`,
    );
  });

  it("follow the deployment's signature header", () => {
    expect(headerNamesProblem(["X-Sig"], "x-sig")).toContain("must not contain X-Sig");
    expect(headerNamesProblem(["X-SERVICE-Signature"], "x-sig")).toBeUndefined();
  });

  it("differ in more than case", () => {
    expect(problemOf("X-Key", "x-key")).toBe("must have names that differ in more than case");
  });
});
