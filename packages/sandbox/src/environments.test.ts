import { expect, it } from "vitest";
import { serviceEnvironments } from "./environments.ts";
import { generateSecrets } from "./secrets.ts";
import { eachService, serviceNames } from "./service-names.ts";

let port = 9_000;
const next = () => port++;
const machine = {
  host: "127.0.0.1",
  ports: { ...eachService(next), public: 8_080 },
  adminPorts: eachService(next),
  secrets: generateSecrets(),
  mongodbUri: () => "mongodb://127.0.0.1:27017",
};

it("opens the gateway's public port to others, and nothing else", () => {
  const environments = serviceEnvironments({ ...machine, publicHost: "0.0.0.0" });
  const { gateway, ...others } = environments;
  expect(gateway).toMatchObject({ HOST: "0.0.0.0", PORT: "8080", RPC_HOST: "127.0.0.1" });
  for (const { HOST } of Object.values(others)) expect(HOST).toBe("127.0.0.1");
  for (const each of Object.values(environments)) {
    const { HOST: _public, ...rest } = each;
    expect(JSON.stringify(rest)).not.toContain("0.0.0.0");
  }
  expect(serviceEnvironments(machine).gateway.HOST).toBe("127.0.0.1");
});

it("names the platform's ports, those of its parts too, as no place for webhooks", () => {
  const { notifier } = serviceEnvironments({ ...machine, partPorts: [27_017, 5_672] });
  const refused = notifier.WEBHOOK_REFUSED_PORTS?.split(",")
    .map(Number)
    .sort((a, b) => a - b);
  const own = Array.from({ length: 2 * serviceNames.length }, (_each, at) => 9_000 + at);
  expect(refused).toEqual([5_672, 8_080, ...own, 27_017]);
  expect(serviceEnvironments(machine).notifier.WEBHOOK_REFUSED_PORTS).toBeUndefined();
});

it("names the OpenID provider: by its URL to services, by its port as no place for webhooks", () => {
  const issuer = "http://127.0.0.1:7000";
  const environments = serviceEnvironments({ ...machine, partPorts: [], issuer });
  expect(environments.payout.OIDC_ISSUER?.split(",")).toEqual([expect.any(String), issuer]);
  expect(environments.notifier.WEBHOOK_REFUSED_PORTS?.split(",")).toContain("7000");
  expect(serviceEnvironments(machine).payout.OIDC_ISSUER).not.toContain(",");
});
