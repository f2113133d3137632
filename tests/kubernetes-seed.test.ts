import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  containerOf,
  environmentOf,
  type Manifest,
  type Manifests,
} from "@disburse/deploy/manifests.ts";
import {
  kubectl,
  overlay,
  renderOverlays,
  renderTimeoutMs,
  selects,
  without,
} from "@disburse/deploy/overlays.ts";
import { readConfig } from "@disburse/sandbox/config.ts";
import { generateSecrets, ownSettings } from "@disburse/sandbox/secrets.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

beforeAll(renderOverlays, renderTimeoutMs);

const folder = mkdtempSync(join(tmpdir(), "disburse-seed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const jobOf = (manifests: Manifests): Manifest =>
  manifests.get("Job", "sandbox-seed-release-0-1-0");

/** Returns the sources of a projected volume of the job. */
const sourcesOf = (job: Manifest, volume: string) =>
  job.spec.template.spec.volumes.find(({ name }: { name: string }) => name === volume)?.projected
    .sources;

describe.skipIf(kubectl === "").each(["sandbox", "stage"] as const)(
  `the job that makes the merchants of %s${without}`,
  (name) => {
    const manifests = () => overlay(name);
    const job = () => jobOf(manifests());

    it("is given every setting that it cannot do without", () => {
      const secrets: Record<string, string> = { ...ownSettings(generateSecrets(), "sandbox") };
      const files = sourcesOf(job(), "secrets")[0].secret.items.map(
        ({ path }: { path: string }) => path,
      );
      for (const file of files) writeFileSync(join(folder, file), secrets[file]!);
      const entries = Object.entries(environmentOf(manifests(), job())).map(([setting, value]) => [
        setting,
        value.replace("/run/secrets/disburse", folder),
      ]);
      const { BASE_URL, ISSUER_KEY, ...config } = readConfig(Object.fromEntries(entries));
      const [ingress] = manifests().ofKind("Ingress");
      expect(BASE_URL).toBe(`https://${ingress!.spec.rules[0].host}`);
      expect(config.SERVICE_KEY.service).toBe("sandbox");
      // Persons of stage are those of its provider.
      expect(ISSUER_KEY === undefined).toBe(name === "stage");
    });

    it("may keep one Secret, and reaches every service", () => {
      const { rules } = manifests().get("Role", "sandbox");
      expect(rules).toEqual([
        { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
        {
          apiGroups: [""],
          resources: ["secrets"],
          resourceNames: [environmentOf(manifests(), job()).SANDBOX_SECRET],
          verbs: ["get", "update"],
        },
      ]);
      const { labels } = job().spec.template.metadata;
      for (const [policy, direction] of [
        ["from-sandbox", "egress"],
        ["to-services-from-sandbox", "ingress"],
      ] as const) {
        const { spec } = manifests().get("NetworkPolicy", policy);
        const selector =
          direction === "egress" ? spec.podSelector : spec.ingress[0].from[0].podSelector;
        expect(selects(selector, labels)).toBe(true);
      }
    });
  },
);

describe.skipIf(kubectl === "")(`the job that makes the merchants of stage${without}`, () => {
  it("shows a certificate and a key of its own over mutual TLS", () => {
    const job = jobOf(overlay("stage"));
    const environment = environmentOf(overlay("stage"), job);
    for (const service of serviceNames)
      expect(environment[`${service.toUpperCase()}_URL`]).toBe(`https://${service}:9000`);
    const { spec } = overlay("stage").get("Certificate", "sandbox-service");
    expect(spec.uris).toEqual(["spiffe://disburse/sandbox"]);
    const [certificate, authorities] = sourcesOf(job, "tls");
    expect(certificate.secret.name).toBe(spec.secretName);
    expect(authorities.configMap.name).toBe("service-authorities");
    const mounts = containerOf(job).volumeMounts as { name: string; mountPath: string }[];
    const { mountPath } = mounts.find((each) => each.name === "tls")!;
    const files = [...certificate.secret.items, ...authorities.configMap.items];
    const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = environment;
    expect([TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE]).toEqual(
      files.map(({ path }) => `${mountPath}/${path}`),
    );
    const { spec: keys } = overlay("stage").get("ExternalSecret", "sandbox-keys");
    expect(keys.target.name).toBe(sourcesOf(job, "secrets")[0].secret.name);
  });

  it("is not in production", () => {
    expect(JSON.stringify(overlay("production").all)).not.toContain("sandbox-seed");
  });
});
