import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { say } from "@disburse/harness/command-line.ts";
import { optionOf, skipBecause } from "@disburse/harness/scenario.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Manifest, type Manifests, readManifests } from "../manifests.ts";
import { kubectl, overlay, overlays, renderOverlays } from "../overlays.ts";
import { createOwnOverlay, withRelease } from "../own-overlay.ts";
import { type ApiServer, missingAssets, startApiServer } from "./api-server.ts";
import { definitionsIn, permissiveDefinition, undefinedKinds } from "./custom-resources.ts";

const assets = process.env.KUBEBUILDER_ASSETS ?? "";
const reason =
  missingAssets(assets) ??
  (kubectl === "" ? "there is no kubectl; npm test installs one" : undefined);
const root = join(import.meta.dirname, "../../../../..");

const ends = new AsyncDisposableStack();
let folder: string;
let server: ApiServer;

const json = (objects: readonly Manifest[]) =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
const namespaceOf = (manifests: Manifests) => manifests.ofKind("Namespace")[0]!.metadata.name;

/** The lines that a user of kubectl would read as a warning or an error. */
async function complaints(args: readonly string[], input: string): Promise<string[]> {
  const { stderr } = await server.call(args, input);
  return stderr.split("\n").filter((line) => line !== "");
}

const apply = (manifests: Manifests) =>
  complaints(["apply", "--server-side", "--validate=strict", "-f", "-"], json(manifests.all));

/** Defines the resources of operators. Kinds without a definition of their own accept anything. */
async function defineResources(): Promise<void> {
  const definitions = definitionsIn(optionOf("crds"));
  const open = undefinedKinds(
    overlays.flatMap((name) => overlay(name).all),
    definitions,
  );
  if (open.length > 0) say(`fields of these are not checked: ${open.join(", ")}`);
  const all = [...definitions, ...open.map(permissiveDefinition)];
  await server.kubectl(["apply", "--server-side", "-f", "-"], json(all));
  await server.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
}

/** Returns a pod as a controller would create it, which Pod Security admits or refuses. */
function podOf({ kind, metadata, spec }: Manifest): Manifest {
  const template = kind === "CronJob" ? spec.jobTemplate.spec.template : spec.template;
  const { name, namespace } = metadata;
  const claims = (spec.volumeClaimTemplates ?? []).map((claim: Manifest) => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: `${claim.metadata.name}-${name}-0` },
  }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: template.metadata.labels },
    spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...claims] },
  };
}

const podMakers = ({ all }: Manifests) =>
  all.filter(({ kind }) => /^(?:Deployment|StatefulSet|Job|CronJob)$/.test(kind));

type RoleRule = {
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
};

/** Returns a question for each thing that a Role allows. */
const questionsOf = (role: Manifest) =>
  (role.rules as RoleRule[]).flatMap(({ resources, resourceNames = [undefined], verbs }) =>
    resources.flatMap((resource) =>
      resourceNames.flatMap((name) =>
        verbs.map((verb) => [verb, name === undefined ? resource : `${resource}/${name}`] as const),
      ),
    ),
  );

async function mayDo(namespace: string, account: string, verb: string, what: string) {
  const as = `--as=system:serviceaccount:${namespace}:${account}`;
  return (await server.call(["-n", namespace, "auth", "can-i", verb, what, as])).stdout.trim();
}

beforeAll(async () => {
  if (reason !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), "cluster-"));
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  server = await startApiServer(assets, folder);
  ends.defer(server.stop);
  say((await server.kubectl(["version"])).trim().replaceAll("\n", ", "));
  renderOverlays();
  await defineResources();
});
afterAll(() => ends.disposeAsync());
beforeEach((context) => skipBecause(context, reason));

describe.each(overlays)("%s", (name) => {
  test("applies", async () => {
    expect(await apply(overlay(name))).toEqual([]);
    say(`${name}: ${overlay(name).all.length} objects applied`);
  });

  test("applies-again", async () => {
    const stored = async () => {
      const listed = await server.kubectl(
        ["get", "-f", "-", "-o", "json"],
        json(overlay(name).all),
      );
      const { items } = JSON.parse(listed) as { items: Manifest[] };
      return items.map(({ metadata, ...rest }) => {
        const { resourceVersion: _, ...named } = metadata;
        return { ...rest, metadata: named };
      });
    };
    const before = await stored();
    expect(await apply(overlay(name))).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  test("admits-pods", async () => {
    const pods = podMakers(overlay(name)).map(podOf);
    const create = (items: readonly Manifest[]) =>
      complaints(["create", "--dry-run=server", "--validate=strict", "-f", "-"], json(items));
    expect(await create(pods)).toEqual([]);
    const [pod] = pods as [Manifest];
    const root = structuredClone(pod);
    root.spec.containers[0].securityContext.runAsUser = 0;
    expect((await create([root])).join("\n")).toContain("violates PodSecurity");
    say(`${name}: ${pods.length} pods admitted`);
  });

  test("allows-roles", async () => {
    const namespace = namespaceOf(overlay(name));
    const bindings = overlay(name).ofKind("RoleBinding");
    const bound = bindings.flatMap(({ roleRef, subjects }) =>
      (subjects as { name: string }[]).map((subject) => ({
        account: subject.name,
        role: overlay(name).get(roleRef.kind, roleRef.name),
      })),
    );
    const refused: string[] = [];
    let asked = 0;
    for (const { account, role } of bound) {
      for (const [verb, what] of questionsOf(role)) {
        asked += 1;
        if ((await mayDo(namespace, account, verb, what)) !== "yes")
          refused.push(`${account} ${verb} ${what}`);
      }
    }
    expect(refused).toEqual([]);
    const accounts = overlay(name)
      .ofKind("ServiceAccount")
      .map(({ metadata }) => metadata.name);
    for (const account of accounts) {
      expect(await mayDo(namespace, account, "list", "secrets"), account).toBe("no");
      expect(await mayDo(namespace, account, "get", "secrets/another"), account).toBe("no");
    }
    say(`${name}: ${asked} accesses allowed, ${accounts.length} accounts read no other Secret`);
  });
});

describe("own-overlay", () => {
  const namespace = "disburse-own";
  const renderRelease = (release: string, digit: string): Manifests => {
    const own = createOwnOverlay(kubectl);
    try {
      const change = withRelease(release, digit);
      return readManifests(
        own.render((text) =>
          change(text).replace("namespace: disburse\n", `namespace: ${namespace}\n`),
        ),
      );
    } finally {
      own.remove();
    }
  };
  const imageOf = (service: string) =>
    server.kubectl([
      ...["-n", namespace, "get", "deployment", service, "-o"],
      "jsonpath={.spec.template.spec.containers[0].image}",
    ]);

  test("upgrades", async () => {
    expect(await apply(renderRelease("0-1-0", "a"))).toEqual([]);
    expect(await imageOf("quote")).toMatch(/@sha256:a{64}$/);
    expect(await apply(renderRelease("0-2-0", "b"))).toEqual([]);
    expect(await imageOf("quote")).toMatch(/@sha256:b{64}$/);
    const jobs = await server.kubectl(["-n", namespace, "get", "job", "-o", "name"]);
    for (const release of ["0-1-0", "0-2-0"])
      expect(jobs).toContain(`job.batch/quote-migration-release-${release}\n`);
  });

  test("refuses-other-images-of-one-release", async () => {
    const refused = await apply(renderRelease("0-2-0", "c"));
    expect(refused.length).toBeGreaterThan(0);
    for (const line of refused) expect(line).toContain("field is immutable");
  });
});

describe("jobs", () => {
  beforeAll(async () => {
    if (reason !== undefined) return;
    for (const name of ["sandbox", "stage"] as const)
      expect(await apply(overlay(name))).toEqual([]);
  });

  /** Runs the sandbox's job `sandbox-secrets` under its account, against the API server. */
  const makeSecrets = async (namespace: string): Promise<void> => {
    const token = join(folder, "token");
    writeFileSync(token, await server.kubectl(["-n", namespace, "create", "token", "sandbox"]));
    const script = join(root, "packages/sandbox/src/make-cluster-secrets.ts");
    const job = spawn(process.execPath, [script], {
      env: {
        KUBERNETES_API: server.url,
        KUBERNETES_NAMESPACE: namespace,
        KUBERNETES_TOKEN_FILE: token,
        NODE_EXTRA_CA_CERTS: server.authorityFile,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output, [code]] = await Promise.all([text(job.stdout), once(job, "exit")]);
    expect(code, output).toBe(0);
  };

  test("sandbox-secrets", async () => {
    const namespace = namespaceOf(overlay("sandbox"));
    const secrets = async () => {
      const list = ["-n", namespace, "get", "secret", "-o", "json"];
      const { items } = JSON.parse(await server.kubectl(list)) as { items: Manifest[] };
      return new Map(items.map(({ metadata, data }) => [metadata.name as string, data]));
    };
    await makeSecrets(namespace);
    const made = await secrets();
    for (const name of ["disburse", ...serviceNames.map((service) => `${service}-keys`)])
      expect([...made.keys()]).toContain(name);
    await makeSecrets(namespace);
    expect(await secrets()).toEqual(made);
  });

  test("restore", async () => {
    const job = ["create", "job", "--from=cronjob/mongodb-restore", "restore-1"];
    const args = ["-n", namespaceOf(overlay("stage")), ...job, "--dry-run=server"];
    expect(await complaints(args, "")).toEqual([]);
  });
});
