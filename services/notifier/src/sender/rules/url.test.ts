import { describe, expect, it } from "vitest";
import { isOfThisMachine, mayReach, networks } from "./address.ts";
import { urlLengthMax, urlProblem } from "./url.ts";

const base = "https://hooks.example.com/";
const long = base + "a".repeat(urlLengthMax - base.length);
/** A host name of the given length, in labels of at most 63 characters. */
const hostOf = (length: number): string =>
  "a".repeat(length).replaceAll(/a{64}/g, `${"a".repeat(63)}.`);

describe("endpoint url", () => {
  it.each([
    ["https://hooks.example.com"],
    ["https://hooks.example.com/a/b?c=d%20e"],
    ["https://hooks.example.com:443/"],
    ["https://hooks.example.com:8443/"],
    ["https://8.8.8.8/"],
    ["https://[2606:4700::1111]/"],
    ["https://xn--bcher-kva.example/"],
    ["https://bücher.example/"],
    [long],
    [`https://${hostOf(253)}/`],
    [`https://${"a".repeat(63)}.example/`],
  ])("accepts %s everywhere", (url) => {
    expect(urlProblem(url, { policy: "public" })).toBeUndefined();
    expect(urlProblem(url, { policy: "sandbox" })).toBeUndefined();
  });

  it.each([
    ["http://127.0.0.1:0/", "must not use port 0"],
    ["http://localhost:0/hook", "must not use port 0"],
    ["https://hooks.example.com:00/", "must not use port 0"],
    ["http://a..b/", "must have a host without empty labels"],
    ["https://.example.com/", "must have a host without empty labels"],
    ["https://example.com../", "must have a host without empty labels"],
    ["http://./", "must have a host without empty labels"],
    ["http://a.%2Eb/", "must have a host without empty labels"],
  ])("refuses %s everywhere, in the sandbox because it %s", (url, problem) => {
    expect(urlProblem(url, { policy: "public" })).toMatch(/^must /);
    expect(urlProblem(url, { policy: "sandbox" })).toBe(problem);
  });

  it.each(["http://localhost./", "http://receiver/", "http://127.0.0.1:1/"])(
    "takes %s in the sandbox",
    (url) => expect(urlProblem(url, { policy: "sandbox" })).toBeUndefined(),
  );

  it.each([
    ["http://hooks.example.com/", "must be an https URL"],
    ["https://hooks.example.com:80/", "must use port 443 or 8443"],
    ["https://hooks.example.com:8444/", "must use port 443 or 8443"],
    ["https://localhost/", "must have a public host"],
    ["https://LOCALHOST./", "must have a public host"],
    ["https://api.localhost/", "must have a public host"],
    ["https://home.arpa/", "must have a public host"],
    ["https://hooks/", "must have a public host"],
    [`https://${hostOf(254)}/`, "must have a public host"],
    [`https://${"a".repeat(64)}.example/`, "must have a public host"],
    ["https://127.0.0.1/", "must have a public address"],
    ["https://127.1/", "must have a public address"],
    ["https://2130706433/", "must have a public address"],
    ["https://0x7f000001/", "must have a public address"],
    ["https://017700000001/", "must have a public address"],
    ["https://127.0.0.1./", "must have a public address"],
    ["https://10.1.2.3/", "must have a public address"],
    ["https://100.64.0.1/", "must have a public address"],
    ["https://192.168.1.1/", "must have a public address"],
    ["https://[::1]/", "must have a public address"],
    ["https://[::]/", "must have a public address"],
    ["https://[::ffff:10.0.0.1]/", "must have a public address"],
    ["https://[fd00::1]/", "must have a public address"],
    ["https://[64:ff9b::a00:1]/", "must have a public address"],
    ["https://[2002:a00:1::]/", "must have a public address"],
    ["http://127.0.0.1:8080/hook", "must be an https URL"],
  ])("refuses %s live: %s, accepts it in the sandbox", (url, problem) => {
    expect(urlProblem(url, { policy: "public" })).toBe(problem);
    expect(urlProblem(url, { policy: "sandbox" })).toBeUndefined();
  });

  it.each([
    ["", "is required"],
    ["hooks.example.com/a", "must be an absolute URL"],
    ["//hooks.example.com/a", "must be an absolute URL"],
    ["https://", "must be an absolute URL"],
    ["https://hooks example.com/", "must be an absolute URL"],
    ["https://hooks.example.com/a b", "must be an absolute URL"],
    ["https:\\\\hooks.example.com/", "must be an absolute URL"],
    ["https://hooks.example.com:99999/", "must be an absolute URL"],
    ["https://hooks.example.com/\r\nx: y", "must not contain control characters"],
    ["https://hooks.example.com/\u0000", "must not contain control characters"],
    ["https://hooks.example.com/\ud800", "must be well-formed Unicode"],
    ["https://user@hooks.example.com/", "must not contain a user name or password"],
    ["https://:pass@hooks.example.com/", "must not contain a user name or password"],
    ["https://hooks.example.com/#top", "must not contain a fragment"],
    ["https://169.254.169.254/latest", "must have a public address"],
    ["https://[::ffff:169.254.169.254]/", "must have a public address"],
    ["https://[fe80::1]/", "must have a public address"],
    ["https://224.0.0.1/", "must have a public address"],
    ["https://255.255.255.255/", "must have a public address"],
    [`${long}a`, `must have at most ${urlLengthMax} characters`],
  ])("refuses %j everywhere: %s", (url, problem) => {
    expect(urlProblem(url, { policy: "public" })).toBe(problem);
    expect(urlProblem(url, { policy: "sandbox" })).toBe(problem);
  });

  it.each([
    ...["localhost", "invalid", "local", "onion", "alt", "home.arpa"],
    ...["intranet", "internal", "private", "corp", "home", "lan"],
  ])("refuses live a name under .%s, which is not in the public tree", (name) => {
    expect(urlProblem(`https://hooks.${name}/`, { policy: "public" })).toBe(
      "must have a public host",
    );
    expect(urlProblem(`https://hooks.${name}.example/`, { policy: "public" })).toBeUndefined();
    expect(urlProblem(`https://hooks${name}.example/`, { policy: "public" })).toBeUndefined();
    expect(urlProblem(`https://hooks.${name}/`, { policy: "sandbox" })).toBeUndefined();
  });

  it.each(["ftp://hooks.example.com/", "file:///etc/passwd", "javascript:alert(1)", "data:,x"])(
    "refuses the scheme of %s",
    (url) => {
      expect(urlProblem(url, { policy: "public" })).toBe("must be an https URL");
      expect(urlProblem(url, { policy: "sandbox" })).toBe("must be an http or https URL");
    },
  );
});

describe("a port of the platform", () => {
  const rules = { policy: "sandbox", ownPorts: new Set([80, 443, 8_080]) } as const;
  it.each([
    "http://127.0.0.1:8080/",
    "http://127.1.2.3:8080/",
    "http://0.0.0.0:8080/",
    "http://[::1]:8080/",
    "http://[::ffff:127.0.0.1]:8080/",
    "http://localhost:8080/",
    "http://gateway.localhost.:8080/",
    "http://127.0.0.1/",
    "https://127.0.0.1/",
  ])("is no place for webhooks on this machine: %s", (url) => {
    expect(urlProblem(url, rules)).toBe("must not be a port of the platform");
    expect(urlProblem(url, { policy: "sandbox" })).toBeUndefined();
  });

  it.each(["http://127.0.0.1:8081/", "http://192.168.1.2:8080/", "http://hooks.example:8080/"])(
    "is no other port and no other machine's: %s",
    (url) => {
      expect(urlProblem(url, rules)).toBeUndefined();
    },
  );

  it("is this machine's at each of its addresses", () => {
    const own = ["192.168.1.2", "fd00::2", "fe80::1%eth0"];
    for (const address of ["192.168.1.2", "::ffff:192.168.1.2", "fd00::2", "::1", "0.0.0.0"]) {
      expect(isOfThisMachine(address, own)).toBe(true);
    }
    for (const address of ["192.168.1.3", "fd00::3", "hooks.example"]) {
      expect(isOfThisMachine(address, own)).toBe(false);
    }
  });
});

describe("address", () => {
  const edges: [string, boolean][] = [
    ["0.255.255.255", false],
    ["1.0.0.0", true],
    ["9.255.255.255", true],
    ["10.0.0.0", false],
    ["11.0.0.0", true],
    ["100.63.255.255", true],
    ["100.127.255.255", false],
    ["100.128.0.0", true],
    ["172.15.255.255", true],
    ["172.31.255.255", false],
    ["172.32.0.0", true],
    ["192.0.0.255", false],
    ["192.0.1.0", true],
    ["198.17.255.255", true],
    ["198.19.255.255", false],
    ["223.255.255.255", true],
    ["224.0.0.0", false],
    ["1fff:ffff::", false],
    ["2000::", true],
    ["2001:1ff:ffff::", false],
    ["2001:200::", true],
    ["2001:db8::1", false],
    ["2002::1", false],
    ["2003::1", true],
    ["3ffe:ffff::", true],
    ["3fff::1", false],
    ["4000::", false],
    ["::ffff:8.8.8.8", true],
    ["::ffff:7f00:1", false],
    ["0:0:0:0:0:ffff:127.0.0.1", false],
    ["2606:4700::1%eth0", false],
    ["hooks.example.com", false],
    ["", false],
  ];
  it.each(edges)("live, %s may be reached: %s", (address, expected) => {
    expect(mayReach(address, "public")).toBe(expected);
  });

  it("refuses the networks of a setting under both policies, also mapped into IPv6", () => {
    const own = networks(["8.8.8.0/24", "2606:4700::/32"]);
    for (const address of ["8.8.8.8", "::ffff:8.8.8.8", "2606:4700::1"]) {
      expect(mayReach(address, "public", own)).toBe(false);
      expect(mayReach(address, "sandbox", own)).toBe(false);
    }
    expect(mayReach("8.8.9.1", "public", own)).toBe(true);
    const mapped = networks(["::ffff:8.8.8.0/120"]);
    for (const address of ["8.8.8.8", "::ffff:8.8.8.8"]) {
      expect(mayReach(address, "public", mapped)).toBe(false);
    }
  });

  it.each(["10.0.0.0", "10.0.0.0/33", "x/8", "10.0.0.0/8/8x", "10.0.0.0/"])(
    "throws on the network %s",
    (cidr) => {
      expect(() => networks([cidr])).toThrow();
    },
  );
});
