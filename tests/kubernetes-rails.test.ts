import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import {
  type Container,
  containerOf,
  environmentOf,
  type Manifests,
  readManifests,
} from "@disburse/deploy/manifests.ts";
import { kubectl, overlay, renderTimeoutMs, without } from "@disburse/deploy/overlays.ts";
import { createOwnOverlay } from "@disburse/deploy/own-overlay.ts";
import { schemaProblem } from "@disburse/deploy/schemas.ts";
import { generateSecrets } from "@disburse/sandbox/secrets.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusedSettings, settingsOf } from "./service-settings.ts";

/** Tests the components that give payout its rails, all of them in one overlay. */

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");

/** `BITCOIN_RAILS` is set by `components/bitcoin-rails`. */
const rails = [...settingsOf("payout")].filter((name) => /_(?:CHAINS|RAILS)$/.test(name));
const componentOf = (setting: string) => setting.toLowerCase().replace("_", "-");

/** The policy of each component, and the ports that it opens to all addresses. */
const policies = {
  "bank-servers-egress": [22],
  "bitcoin-nodes-egress": [443],
  "chain-nodes-egress": [443],
  "solana-nodes-egress": [443],
};

describe.skipIf(kubectl === "")(`components of rails${without}`, () => {
  let copies: ReturnType<typeof createOwnOverlay>;
  let own: Manifests;
  let folder: string;
  beforeAll(() => {
    copies = createOwnOverlay(kubectl);
    folder = mkdtempSync(join(tmpdir(), "disburse-kubernetes-rails-"));
    const all = rails.map((each) => `../../components/${componentOf(each)}`).join(", ");
    own = readManifests(copies.render((text) => text.replace("../../components/evm-chains", all)));
  }, renderTimeoutMs);
  afterAll(() => {
    copies.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const payout = () => own.get("Deployment", "payout");
  const environment = () => environmentOf(own, payout());

  it("are there for every rail package, and valid together", async () => {
    expect(rails.length).toBeGreaterThanOrEqual(4);
    const problems = await Promise.all(own.all.map(schemaProblem));
    expect(problems.filter((each) => each !== undefined)).toEqual([]);
  });

  it.each(rails)("mount the Secret with %s, as the pages describe it", (setting) => {
    const path = environment()[`${setting}_FILE`] ?? "";
    const mounts = containerOf(payout()).volumeMounts as Container[];
    const { name, readOnly } = mounts.find((each) => each.mountPath === dirname(path))!;
    expect(readOnly).toBe(true);
    const volumes = payout().spec.template.spec.volumes as Container[];
    const { secret } = volumes.find((each) => each.name === name)!;
    expect(secret.defaultMode).toBe(0o440);
    const component = `components/${componentOf(setting)}`;
    const row = read("deploy/k8s/README.md")
      .split("\n")
      .find((line) => line.startsWith(`| \`${secret.secretName}\` |`));
    expect(row).toContain(`\`${basename(path)}\``);
    expect(row).toContain(`\`${component}\``);
    const guide = `\`${component}\` mounts the Secret \`${secret.secretName}\` as \`${dirname(path)}\``;
    expect(read("docs/operators/going-live.md")).toContain(guide);
    // The examples of the reference name files of the same folder.
    expect(read("docs/reference/services/payout.md")).toContain(`"${dirname(path)}/`);
  });

  it("name files that payout reads", async () => {
    const given = Object.entries(environment());
    const files = given.filter(([name]) => rails.includes(name.replace(/_FILE$/, "")));
    expect(files).toHaveLength(rails.length);
    const secrets = generateSecrets();
    const settings = {
      ...{ DISBURSE_MODE: "live", PORT: "0", MONGODB_URI: "mongodb://h", AUDIT_SINK: "file:///a" },
      ...{ SERVICE_KEY: secrets.serviceKeys.payout, TRUSTED_KEYS: secrets.trustedKeys },
      ...{ BENEFICIARY_URL: "https://beneficiary:9000", QUOTE_URL: "https://quote:9000" },
    };
    const mounted = Object.fromEntries(files.map(([name, path]) => [name, join(folder, path)]));
    for (const path of Object.values(mounted)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "[]");
    }
    // Payout has read all files before it refuses live mode without a rail.
    expect(await refusedSettings("payout", { ...settings, ...mounted })).toEqual(["DISBURSE_MODE"]);
    for (const name of Object.keys(mounted)) {
      const without = { ...mounted, [name]: join(folder, "nothing") };
      expect(await refusedSettings("payout", { ...settings, ...without })).toEqual([name]);
    }
  });

  it("let payout alone out, on the ports of its counterparts", () => {
    const before = overlay("production").ofKind("NetworkPolicy");
    const names = new Set(before.map(({ metadata }) => metadata.name));
    const added = own.ofKind("NetworkPolicy").filter(({ metadata }) => !names.has(metadata.name));
    const opened = added.map(({ metadata, spec }) => {
      expect(spec.podSelector.matchLabels).toEqual({
        "app.kubernetes.io/name": "payout",
        "app.kubernetes.io/component": "service",
      });
      expect(spec.policyTypes).toEqual(["Egress"]);
      const ports = spec.egress.flatMap(({ ports: each }: { ports: { port: number }[] }) =>
        each.map(({ port }) => port),
      );
      return [metadata.name, ports];
    });
    expect(Object.fromEntries(opened)).toEqual(policies);
  });
});
