import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { containerOf, type Manifests, readManifests } from "@disburse/deploy/manifests.ts";
import {
  kubectl,
  manifestsOf,
  overlay,
  overlays,
  renderOverlays,
  renderTimeoutMs,
  without,
} from "@disburse/deploy/overlays.ts";
import { createOwnOverlay, example, withRelease } from "@disburse/deploy/own-overlay.ts";
import { schemaProblem } from "@disburse/deploy/schemas.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** A DNS label. A Job's name must be one, because it becomes part of its pods' names. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const imageOf = (manifests: Manifests, service: string) =>
  containerOf(manifests.get("Deployment", service)).image;
const jobNames = (manifests: Manifests) =>
  manifests.ofKind("Job").map(({ metadata }) => metadata.name as string);

/** Returns the fields that Kubernetes refuses to change, by object. */
function immutableFields(manifests: Manifests): Record<string, unknown> {
  const entries = manifests.all.flatMap(({ kind, metadata, spec, roleRef }) => {
    const name = `${kind} ${metadata.name}`;
    if (kind === "Deployment") return [[name, spec.selector]];
    if (kind === "Job") return [[name, spec.template]];
    if (kind === "Service") return [[name, spec.clusterIP]];
    if (kind === "RoleBinding") return [[name, roleRef]];
    if (kind !== "StatefulSet") return [];
    const { selector, serviceName, volumeClaimTemplates } = spec;
    return [[name, { selector, serviceName, volumeClaimTemplates }]];
  });
  return Object.fromEntries(entries);
}

beforeAll(renderOverlays, renderTimeoutMs);

describe.skipIf(kubectl === "").each(overlays)(`releases of %s${without}`, (name) => {
  it("are in the name of each Job, which is a DNS label", () => {
    const names = jobNames(overlay(name));
    expect(names.length).toBeGreaterThanOrEqual(serviceNames.length);
    for (const job of names) {
      expect(job).toMatch(/-release-0-1-0$/);
      expect(job).toMatch(label);
    }
  });
});

describe.skipIf(kubectl === "")(
  `an overlay of one's own${without}`,
  { timeout: renderTimeoutMs },
  () => {
    let copies: ReturnType<typeof createOwnOverlay>;
    beforeAll(() => {
      copies = createOwnOverlay(kubectl);
    });
    afterAll(() => copies.remove());

    const renderOwn = (change: (text: string) => string): Manifests =>
      readManifests(copies.render(change));

    it("is valid by Kubernetes' schemas", async () => {
      const { all } = manifestsOf(example);
      const problems = await Promise.all(all.map(schemaProblem));
      expect(problems.filter((each) => each !== undefined)).toEqual([]);
    });

    it("has images by digest, and Jobs that are named after the release", () => {
      const own = manifestsOf(example);
      for (const service of serviceNames) {
        expect(imageOf(own, service)).toMatch(/^[\w.-]+\/disburse-[a-z]+@sha256:\w{64}$/);
        expect(jobNames(own)).toContain(`${service}-migration-release-0-1-0`);
      }
    });

    it("is upgraded by other digests and another release, without a change that is refused", () => {
      const first = renderOwn(withRelease("0-1-0", "a"));
      const second = renderOwn(withRelease("0-2-0-rc1", "b"));
      for (const service of serviceNames) {
        expect(imageOf(second, service)).toBe(
          imageOf(first, service).replaceAll("a".repeat(64), "b".repeat(64)),
        );
        expect(jobNames(second)).toContain(`${service}-migration-release-0-2-0-rc1`);
      }
      const before = immutableFields(first);
      const after = immutableFields(second);
      const changed = Object.keys(after).filter(
        (each) => each in before && JSON.stringify(before[each]) !== JSON.stringify(after[each]),
      );
      expect(changed).toEqual([]);
      expect(jobNames(first).filter((job) => jobNames(second).includes(job))).toEqual([]);
    });

    it.each([
      ["a registry with a port", "registry.internal:5000/disburse-", "0.2.0"],
      ["a tag with capitals and _", "registry.internal/disburse-", "RC_1.Final"],
      [
        "a tag of 42 characters",
        "registry.internal/disburse-",
        "0.2.0-0123456789abcdef0123456789abcdef0123",
      ],
    ])("takes %s", (_, registry, tag) => {
      const own = renderOwn((text) =>
        text
          .replaceAll("111122223333.dkr.ecr.eu-central-1.amazonaws.com/disburse-", registry)
          .replaceAll(/digest: sha256:\w{64}/g, `newTag: "${tag}"`),
      );
      expect(imageOf(own, "quote")).toBe(`${registry}quote:${tag}`);
      for (const job of jobNames(own)) expect(job).toMatch(label);
    });

    it("pulls images by the Secret of a private registry, where it has the component", () => {
      const own = renderOwn((text) =>
        text.replace("components: [", "components: [../../components/image-pull-secret, "),
      );
      const accounts = own.ofKind("ServiceAccount");
      expect(accounts.length).toBeGreaterThanOrEqual(serviceNames.length);
      for (const account of accounts)
        expect(account.imagePullSecrets, account.metadata.name).toEqual([{ name: "registry" }]);
    });
  },
);

it.skipIf(kubectl === "")(
  "the page on managed services names policies and settings that there are",
  () => {
    const page = readFileSync(join(root, "docs/operators/managed-services.md"), "utf8");
    const policies = manifestsOf(example)
      .ofKind("NetworkPolicy")
      .map(({ metadata }) => metadata.name);
    const named = [...page.matchAll(/polic(?:y|ies) `([a-z-]+)`/g)].map(([, name = ""]) => name);
    const ofBroker = ["broker-scraping"];
    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect([...policies, ...ofBroker]).toContain(name);
  },
);

it("documents and manifests apply on the server's side alone", () => {
  const files = execFileSync("git", ["grep", "-lE", "kubectl apply", "--", "deploy", "docs"], {
    cwd: root,
    encoding: "utf8",
  });
  const lines = files
    .trim()
    .split("\n")
    .flatMap((file) => readFileSync(join(root, file), "utf8").match(/kubectl apply.*/g) ?? []);
  expect(lines.filter((line) => !line.startsWith("kubectl apply --server-side"))).toEqual([]);
});
