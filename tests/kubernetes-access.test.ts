import {
  containerOf,
  environmentOf,
  type Manifest,
  type Manifests,
} from "@disburse/deploy/manifests.ts";
import {
  kubectl,
  overlay as of,
  overlays,
  renderOverlays,
  renderTimeoutMs,
  selects,
  without,
} from "@disburse/deploy/overlays.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { beforeAll, describe, expect, it } from "vitest";

beforeAll(renderOverlays, renderTimeoutMs);

type RoleRule = { resources: string[]; resourceNames?: string[]; verbs: string[] };

/** Returns the Secrets that pods of the manifests mount. */
function mountedSecrets(manifests: Manifests): string[] {
  const volumes = manifests.workloads().flatMap(({ spec }) => spec.template.spec.volumes ?? []);
  return volumes.flatMap(({ secret, projected }) => [
    ...(secret === undefined ? [] : [secret.secretName as string]),
    ...(projected?.sources ?? []).flatMap((source: { secret?: { name: string } }) =>
      source.secret === undefined ? [] : [source.secret.name],
    ),
  ]);
}

/** Returns the Secrets that jobs and operators create. */
function createdSecrets(manifests: Manifests): string[] {
  const env = manifests.workloads().flatMap((workload) => containerOf(workload).env ?? []);
  const byJobs = env
    .filter(({ name }) => name === "SANDBOX_SECRET")
    .map(({ value }) => value ?? "");
  // The MongoDB operator's configuration for its agents.
  const byOperator = manifests
    .ofKind("MongoDBCommunity")
    .map((each) => `${each.metadata.name}-config`);
  return [...byJobs, ...byOperator];
}

const secretRules = (role: Manifest) =>
  (role.rules as RoleRule[]).filter(({ resources }) => resources.includes("secrets"));

describe.skipIf(kubectl === "").each(overlays)(`Roles of %s${without}`, (overlay) => {
  it("name Secrets that a pod mounts, or a job or an operator creates", () => {
    const known = [...mountedSecrets(of(overlay)), ...createdSecrets(of(overlay))];
    for (const role of of(overlay).ofKind("Role")) {
      for (const { resourceNames, verbs } of secretRules(role)) {
        // A Secret that does not exist yet has no name that a Role could check.
        if (resourceNames === undefined) expect(verbs, role.metadata.name).toEqual(["create"]);
        for (const name of resourceNames ?? []) expect(known, role.metadata.name).toContain(name);
      }
    }
  });

  it("are bound to a ServiceAccount of the overlay", () => {
    for (const { roleRef, subjects } of of(overlay).ofKind("RoleBinding")) {
      expect(of(overlay).get(roleRef.kind, roleRef.name)).toBeDefined();
      for (const { kind, name } of subjects) expect(of(overlay).get(kind, name)).toBeDefined();
    }
    const bound = of(overlay)
      .ofKind("RoleBinding")
      .map(({ roleRef }) => roleRef.name);
    for (const { metadata } of of(overlay).ofKind("Role")) expect(bound).toContain(metadata.name);
  });
});

describe.skipIf(kubectl === "").each(["stage", "production"] as const)(
  `persons of %s${without}`,
  (overlay) => {
    it.each(serviceNames)("are known to %s, which can fetch their provider's keys", (service) => {
      const deployment = of(overlay).get("Deployment", service);
      const { OIDC_ISSUER, OIDC_JWKS_URL } = environmentOf(of(overlay), deployment);
      expect(URL.canParse(OIDC_ISSUER ?? "")).toBe(true);
      expect(OIDC_JWKS_URL).toMatch(/^https:/);
      const { spec } = of(overlay).get("NetworkPolicy", "identity-provider-egress");
      expect(selects(spec.podSelector, deployment.spec.template.metadata.labels)).toBe(true);
      expect(spec.egress[0].ports).toEqual([{ protocol: "TCP", port: 443 }]);
    });

    it("sign in at the console, with the secrets of its two clients", () => {
      const environment = environmentOf(of(overlay), of(overlay).get("Deployment", "gateway"));
      for (const kind of ["MEMBERS", "OPERATORS"]) {
        expect(environment[`${kind}_OIDC_ISSUER`]).toMatch(/^https:/);
        expect(environment[`${kind}_OIDC_CLIENT_SECRET_FILE`]).toMatch(/^\/run\/secrets\//);
      }
      expect(environment.CONSOLE_URL).toMatch(/^https:/);
      expect(environment.OPERATORS_URL).toMatch(/^https:/);
      const given = of(overlay).get("ExternalSecret", "gateway-sign-in").spec.data;
      expect(given).toHaveLength(2);
    });
  },
);
