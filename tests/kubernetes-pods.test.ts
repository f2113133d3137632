import type { Manifest } from "@disburse/deploy/manifests.ts";
import {
  kubectl,
  labelsOf,
  overlay,
  overlays,
  renderOverlays,
  renderTimeoutMs,
  selects,
  without,
} from "@disburse/deploy/overlays.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { beforeAll, describe, expect, it } from "vitest";

type Named = { readonly name: string; readonly securityContext?: object };

const hardened = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
/** Containers that an operator adds to its pods. Only names that the operator knows are merged. */
const mongodbContainers = [
  "mongod",
  "mongodb-agent",
  "mongod-posthook",
  "mongodb-agent-readinessprobe",
];

/** Returns the pod template of a workload, or the part of it that an operator's resource overrides. */
function podOf({ kind, spec }: Manifest) {
  if (kind === "MongoDBCommunity") return spec.statefulSet.spec.template.spec;
  if (kind === "RabbitmqCluster") return spec.override.statefulSet.spec.template.spec;
  return spec.template.spec;
}

const operated = (name: "stage") => [
  overlay(name).get("MongoDBCommunity", "mongodb"),
  overlay(name).get("RabbitmqCluster", "rabbitmq"),
];

beforeAll(renderOverlays, renderTimeoutMs);

describe.skipIf(kubectl === "").each(overlays)(`pods of %s${without}`, (name) => {
  const manifests = () => overlay(name);
  it("keep the access rights of their volumes when they move", () => {
    const stateful = [
      ...manifests().ofKind("StatefulSet"),
      ...(name === "stage" ? operated(name) : []),
    ];
    for (const each of stateful) {
      expect(podOf(each).securityContext, each.metadata.name).toMatchObject({
        fsGroup: expect.any(Number),
        fsGroupChangePolicy: "OnRootMismatch",
      });
    }
  });

  it("scale at the load of the thread that does the work", () => {
    for (const { spec } of manifests().ofKind("HorizontalPodAutoscaler")) {
      expect(spec.metrics).toEqual([
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "AverageValue", averageValue: "700m" } },
        },
      ]);
    }
  });

  it("have time to migrate before their update counts as failed", () => {
    for (const { spec } of manifests().ofKind("Deployment"))
      expect(spec.progressDeadlineSeconds).toBe(900);
  });

  it("leave the log of each attempt of a job, and end", () => {
    for (const job of manifests().ofKind("Job")) {
      const { metadata, spec } = job;
      expect(podOf(job).restartPolicy, metadata.name).toBe("Never");
      expect(spec.activeDeadlineSeconds, metadata.name).toBeGreaterThanOrEqual(900);
      expect(spec.backoffLimit).toBeGreaterThan(0);
    }
  });

  it("are restricted as of one version of Kubernetes", () => {
    const [namespace] = manifests().ofKind("Namespace");
    const labels = labelsOf(namespace!);
    for (const kind of ["enforce", "warn", "audit"])
      expect(labels[`pod-security.kubernetes.io/${kind}-version`]).toBe("v1.32");
  });

  it("come after what they need, for Argo CD", () => {
    const wave = ({ metadata }: Manifest) =>
      Number(metadata.annotations?.["argocd.argoproj.io/sync-wave"] ?? "0");
    for (const service of serviceNames) {
      const migration = manifests().get("Job", `${service}-migration-release-0-1-0`);
      expect(wave(migration)).toBe(1);
      expect(wave(manifests().get("Deployment", service))).toBe(2);
    }
    for (const scaler of manifests().ofKind("HorizontalPodAutoscaler"))
      expect(wave(scaler)).toBe(2);
  });
});

describe.skipIf(kubectl === "")(`the database and the broker of stage${without}`, () => {
  const mongodb = () => overlay("stage").get("MongoDBCommunity", "mongodb");

  it("have the ServiceAccount that MongoDB's operator starts pods under", () => {
    const account = "mongodb-kubernetes-appdb";
    const [binding] = overlay("stage")
      .ofKind("RoleBinding")
      .filter(({ subjects }) => subjects.some((each: Named) => each.name === account));
    expect(overlay("stage").get("ServiceAccount", account)).toBeDefined();
    expect(overlay("stage").get("Role", binding!.roleRef.name).rules).toEqual([
      {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: ["mongodb-config"],
        verbs: ["get"],
      },
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "patch", "delete"] },
    ]);
  });

  it("have no container that the namespace would not admit", () => {
    const { containers, initContainers } = podOf(mongodb());
    const every = [...containers, ...initContainers] as Named[];
    expect(every.map(({ name }) => name).sort()).toEqual(mongodbContainers.toSorted());
    for (const { name, securityContext } of every) expect(securityContext, name).toEqual(hardened);
  });

  it("lose one member at a time when nodes are drained", () => {
    const pods = {
      mongodb: { app: "mongodb-svc" },
      rabbitmq: { "app.kubernetes.io/name": "rabbitmq" },
    };
    for (const [name, labels] of Object.entries(pods)) {
      const { spec } = overlay("stage").get("PodDisruptionBudget", name);
      expect(spec.maxUnavailable).toBe(1);
      expect(selects(spec.selector, labels)).toBe(true);
    }
  });

  it("have a class for the volume that several nodes write", () => {
    const { spec } = overlay("stage").get("PersistentVolumeClaim", "audit");
    expect(spec.accessModes).toEqual(["ReadWriteMany"]);
    expect(spec.storageClassName).toBe("shared-files");
  });
});

it("no other volume needs a class that several nodes can write", () => {
  const shared = overlays.flatMap((name) =>
    overlay(name)
      .all.filter(
        ({ kind, metadata }) => kind !== "PersistentVolumeClaim" || metadata.name !== "audit",
      )
      .filter((each) => JSON.stringify(each).includes("ReadWriteMany")),
  );
  expect(shared).toEqual([]);
});

describe.skipIf(kubectl === "")(`payout in production${without}`, () => {
  it("gets room before others, and in no overlay that shares its cluster", () => {
    const { metadata, value } = overlay("production").ofKind("PriorityClass")[0]!;
    expect(value).toBeGreaterThan(0);
    for (const deployment of overlay("production").ofKind("Deployment")) {
      const expected = deployment.metadata.name === "payout" ? metadata.name : undefined;
      expect(deployment.spec.template.spec.priorityClassName).toBe(expected);
    }
    for (const name of ["sandbox", "stage"] as const)
      expect(overlay(name).ofKind("PriorityClass")).toEqual([]);
  });
});

describe.skipIf(kubectl === "").each(["stage", "production"] as const)(
  `secrets of %s${without}`,
  (name) => {
    it("come by an ExternalSecret for each service, so that one that is missing stops one service", () => {
      for (const service of serviceNames) {
        const { spec } = overlay(name).get("ExternalSecret", `${service}-keys`);
        expect(spec.target.name).toBe(`${service}-keys`);
        const [, secret] = overlay(name).get("Deployment", service).spec.template.spec.volumes[0]
          .projected.sources;
        expect(secret.secret.name).toBe(`${service}-keys`);
        const given = spec.data.map(({ secretKey }: { secretKey: string }) => secretKey);
        const mounted = secret.secret.items.map(({ key }: { key: string }) => key);
        expect(given.sort()).toEqual(mounted.sort());
        for (const { secretKey, remoteRef } of spec.data) {
          // All services verify each other's tokens, so the public keys are the same for all.
          const key = secretKey === "TRUSTED_KEYS" ? "disburse" : `${service}-keys`;
          expect(remoteRef).toEqual({ key, property: secretKey });
        }
      }
    });

    it("and certificates have the labels of their service", () => {
      for (const kind of ["ExternalSecret", "Certificate"]) {
        for (const object of overlay(name).ofKind(kind)) {
          const [owner] = object.metadata.name.split("-");
          const expected = serviceNames.some((each) => each === owner) ? owner : undefined;
          expect(labelsOf(object)["app.kubernetes.io/name"], object.metadata.name).toBe(expected);
        }
      }
    });
  },
);

it("every object of an overlay has the label of the platform", () => {
  const bare = overlays.flatMap((name) =>
    overlay(name)
      .all.filter((each) => labelsOf(each)["app.kubernetes.io/part-of"] !== "disburse")
      .map(({ kind, metadata }) => `${name}: ${kind} ${metadata.name}`),
  );
  expect(bare).toEqual([]);
});

describe.skipIf(kubectl === "")(`backups of stage${without}`, () => {
  const job = (name: string) => overlay("stage").get("CronJob", name).spec;
  const podOfCron = (name: string) => job(name).jobTemplate.spec.template;

  it("are made each night, one at a time, and end", () => {
    const { schedule, suspend, concurrencyPolicy, jobTemplate } = job("mongodb-backup");
    expect(schedule).toMatch(/^\d+ \d+ \* \* \*$/);
    expect([suspend, concurrencyPolicy]).toEqual([undefined, "Forbid"]);
    expect(jobTemplate.spec.activeDeadlineSeconds).toBeGreaterThan(0);
  });

  it("are restored by a job that runs only when someone creates it", () => {
    expect(job("mongodb-restore").suspend).toBe(true);
  });

  it.each(["mongodb-backup", "mongodb-restore"])(
    "%s is restricted, and reaches the database",
    (name) => {
      const { metadata, spec } = podOfCron(name);
      const [container] = spec.containers;
      expect(spec.restartPolicy).toBe("Never");
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        fsGroupChangePolicy: "OnRootMismatch",
      });
      expect(container.securityContext).toEqual({ ...hardened, readOnlyRootFilesystem: true });
      expect(container.resources.limits).toBeDefined();
      expect(container.image).toMatch(/^mongo:8\.0@sha256:/);
      const policy = (each: string) => overlay("stage").get("NetworkPolicy", each).spec;
      expect(selects(policy("backup-egress").podSelector, metadata.labels)).toBe(true);
      const [{ from }] = policy("backup-ingress").ingress;
      expect(selects(from[0].podSelector, metadata.labels)).toBe(true);
    },
  );

  it("are made by a user who reads everything, and restored by another one", () => {
    const { users, security } = overlay("stage").get("MongoDBCommunity", "mongodb").spec;
    const rolesOf = (name: string) =>
      users.find((each: Named) => each.name === name).roles.map(({ name: role }: Named) => role);
    expect(rolesOf("backup")).toEqual(["backup"]);
    expect(rolesOf("restore")).toEqual(["restore", "oplogReplay"]);
    // MongoDB: "the restore role is insufficient to replay the oplog".
    expect(security.roles).toEqual([
      {
        role: "oplogReplay",
        db: "admin",
        privileges: [{ resource: { anyResource: true }, actions: ["anyAction"] }],
        roles: [],
      },
    ]);
    // For check:invariants and audit:verify.
    const reader = users.find((each: Named) => each.name === "reader").roles;
    expect(reader).toEqual(
      serviceNames.toSorted().map((each) => ({ name: "read", db: `disburse_${each}` })),
    );
    for (const name of ["backup", "restore", "reader"])
      expect(overlay("stage").get("ExternalSecret", `${name}-mongodb-password`)).toBeDefined();
  });
});
