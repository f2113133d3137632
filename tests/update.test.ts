import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { afterEach, expect, it } from "vitest";

type Container = {
  readonly id: string;
  readonly service: string;
  readonly image: string;
  readonly hash: string;
  readonly health: string;
  isStopped?: boolean;
};
type World = {
  containers: Container[];
  /** The image and the settings that compose would run, by service. */
  readonly wanted: Record<string, { image: string; hash: string }>;
  readonly newHealth: string;
  /** How many containers serve before the update, by service. */
  readonly serving: Record<string, number>;
  /** The call that fails, and how many before it do not. */
  readonly failing: { readonly call: string; readonly after: number };
  calls: string[];
};

/** Plays the commands of Docker that deploy/update.sh uses, on a world in a file. */
const docker = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require("node:fs");
const file = process.env.WORLD;
const world = JSON.parse(readFileSync(file, "utf8"));
const args = process.argv.slice(2);
const last = args.at(-1);
const print = (text) => process.stdout.write(text + "\\n");
const of = (service) => world.containers.filter((each) => each.service === service);
const serving = (service) =>
  of(service).filter(({ health, isStopped }) => health === "healthy" && !isStopped).length;
const add = (service, to) => {
  for (const each of of(service)) each.isStopped = false;
  if (to > 0) for (const { id } of of(service).slice(to)) {
    world.containers = world.containers.filter((each) => each.id !== id);
  }
  for (let at = of(service).length; at < to; at += 1) {
    const id = service + "-new-" + world.calls.length;
    const { image, hash } = world.wanted[service];
    const its = call.includes("--no-deps") ? hash + "-alone" : hash;
    world.containers.push({ id, service, image, hash: its, health: world.newHealth });
  }
};
const call = args.join(" ");
// Compose hashes a service without what it depends on where it is started by --no-deps.
const parts = ["services:\\n  any:\\n", "    depends_on:\\n      mongo:\\n        condition: x\\n", "    image: any"];
const isFailing =
  call.startsWith(world.failing.call) &&
  world.calls.filter((each) => each.startsWith(world.failing.call)).length >= world.failing.after;
world.calls.push(call);
const imageOf = (service) => (service === "balancer" ? "haproxy:3.2@sha256:1" : "disburse-" + service + ":dev");
if (isFailing) {
  writeFileSync(file, JSON.stringify(world));
  process.exit(7);
}
if (/^compose config --hash/.test(call)) print(last + " " + world.wanted[last].hash);
else if (call === "compose config") print(parts.join(""));
else if (/^compose --file - config --hash/.test(call)) {
  const isAlone = readFileSync(0, "utf8").trim() === parts[0] + parts[2];
  print(last + " " + world.wanted[last].hash + (isAlone ? "-alone" : ""));
}
else if (/^compose ps --all --quiet/.test(call)) of(last).forEach(({ id }) => print(id));
else if (/^compose ps --quiet/.test(call)) of(last).filter(({ isStopped }) => !isStopped).forEach(({ id }) => print(id));
else if (/^logs /.test(call)) print("log of " + last);
else if (/^compose run /.test(call)) print("");
else if (/^compose up /.test(call)) add(last, Number(/--scale \\w+=(\\d+)/.exec(call)?.[1] ?? 0));
else if (/^compose exec /.test(call)) print("");
else if (/^image inspect/.test(call)) print(world.wanted[Object.keys(world.wanted).find((each) => imageOf(each) === last)].image);
else if (/^inspect .*Health/.test(call)) print(world.containers.find(({ id }) => id === last).health);
else if (/^inspect /.test(call)) {
  const { service, image, hash } = world.containers.find(({ id }) => id === last);
  print(imageOf(service) + " " + image + " " + hash);
} else if (/^(stop|rm) /.test(call)) {
  const { service } = world.containers.find(({ id }) => id === last);
  if (call.startsWith("stop") && serving(service) <= world.serving[service]) process.exit(9);
  if (call.startsWith("rm")) world.containers = world.containers.filter(({ id }) => id !== last);
} else process.exit(8);
writeFileSync(file, JSON.stringify(world));
`;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const all = [...serviceNames, "balancer"];

type Given = {
  /** The hash of the settings of all containers. */
  readonly hash?: string;
  readonly newHealth?: string;
  /** The id of a container that does not run. */
  readonly stopped?: string;
  readonly failing?: World["failing"];
};
const nothing: World["failing"] = { call: "nothing", after: 0 };

/** Two containers of each service and one balancer, whose image or settings may differ. */
function update(changed: readonly string[], given: Given = {}) {
  const { hash = "h", newHealth = "healthy", stopped, failing = nothing } = given;
  const folder = mkdtempSync(join(tmpdir(), "update-"));
  folders.push(folder);
  const file = join(folder, "world.json");
  const wanted = Object.fromEntries(
    all.map((name) => [name, { image: changed.includes(name) ? "new" : "old", hash: "h" }]),
  );
  const containers = all.flatMap((service) =>
    [1, 2].slice(service === "balancer" ? 1 : 0).map((at) => {
      const id = `${service}-${at}`;
      const container: Container = { id, service, image: "old", hash, health: "healthy" };
      return id === stopped ? { ...container, isStopped: true } : container;
    }),
  );
  const serving = Object.fromEntries(
    all.map((name) => {
      const own = containers.filter(({ service, isStopped }) => service === name && !isStopped);
      return [name, own.length];
    }),
  );
  const world: World = { containers, wanted, newHealth, serving, failing, calls: [] };
  writeFileSync(file, JSON.stringify(world));
  writeFileSync(join(folder, "docker"), docker, { mode: 0o755 });
  writeFileSync(join(folder, "sleep"), "#!/bin/sh\n", { mode: 0o755 });
  const logs = join(folder, "logs");
  mkdirSync(logs);
  const outdated = join(logs, "payout-20260101T000000Z-1.log.gz");
  writeFileSync(outdated, "");
  utimesSync(outdated, new Date(0), new Date(0));
  const script = join(import.meta.dirname, "../deploy/update.sh");
  const { status, stderr } = spawnSync("bash", [script], {
    env: {
      ...process.env,
      PATH: `${folder}:${process.env.PATH}`,
      WORLD: file,
      UPDATE_READY_WITHIN_SECONDS: "3",
      UPDATE_LOGS: logs,
    },
    encoding: "utf8",
  });
  const { calls, containers: left } = JSON.parse(readFileSync(file, "utf8")) as World;
  const leftOf = (service: string) => left.filter((each) => each.service === service);
  const kept = () =>
    readdirSync(logs).map((name) => ({
      name,
      text: gunzipSync(readFileSync(join(logs, name))).toString(),
      mode: statSync(join(logs, name)).mode & 0o077,
    }));
  return { status, stderr, calls, leftOf, kept };
}

it("replaces each container of a new image by one that is ready, and leaves the others", () => {
  const { status, stderr, calls, leftOf } = update(["payout", "gateway"]);
  expect([status, stderr]).toEqual([0, expect.stringContaining("payout-1")]);
  for (const name of serviceNames) {
    const images = leftOf(name).map(({ image }) => image);
    const isNew = ["payout", "gateway"].includes(name);
    expect(images, name).toEqual(isNew ? ["new", "new"] : ["old", "old"]);
  }
  const stopped = calls
    .filter((call) => call.startsWith("stop"))
    .map((call) => call.split(" ").at(-1));
  expect(stopped).toEqual(["payout-1", "payout-2", "gateway-1", "gateway-2"]);
  // Every migration comes before the first process of the new release.
  const firstUp = calls.findIndex((call) => call.startsWith("compose up"));
  const migrated = calls.slice(0, firstUp).filter((call) => call.startsWith("compose run"));
  expect(migrated).toHaveLength(serviceNames.length);
  expect(calls.at(-1)).toBe("compose exec -T balancer sh -c kill -USR2 1");
}, 120_000);

it.each([
  ["docker compose up", "h"],
  ["an earlier update", "h-alone"],
])(
  "replaces nothing that %s started and nothing changed since",
  (_, hash) => {
    const { status, calls } = update([], { hash });
    expect(status).toBe(0);
    expect(calls.filter((call) => /^(stop|rm)|--scale/.test(call))).toEqual([]);
    expect(calls.at(-1)).toBe("compose exec -T balancer sh -c kill -USR2 1");
  },
  120_000,
);

it("replaces containers whose settings changed", () => {
  const { status, leftOf } = update([], { hash: "other" });
  expect(status).toBe(0);
  for (const name of serviceNames)
    expect(leftOf(name).map(({ hash }) => hash)).toEqual(["h-alone", "h-alone"]);
}, 120_000);

it("stops at a container that does not become ready, with the old ones serving", () => {
  const { status, stderr, leftOf } = update(["quote", "gateway"], { newHealth: "unhealthy" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/is unhealthy after \d+ s/);
  expect(leftOf("quote").filter(({ image }) => image === "old")).toHaveLength(2);
  expect(leftOf("gateway").map(({ image }) => image)).toEqual(["old", "old"]);
}, 240_000);

it("says how to replace the balancer, and leaves it", () => {
  const { status, stderr, leftOf } = update(["balancer"]);
  expect(status).toBe(0);
  expect(stderr).toContain("docker compose up --detach --no-deps balancer");
  expect(leftOf("balancer").map(({ image }) => image)).toEqual(["old"]);
}, 120_000);

it("leaves no container of the old image that had been stopped", () => {
  const { status, leftOf } = update(["payout"], { stopped: "payout-2" });
  expect(status).toBe(0);
  const left = leftOf("payout");
  expect(left.map(({ image, isStopped = false }) => [image, isStopped])).toEqual([["new", false]]);
}, 120_000);

it("keeps the log of each container that it removes, for a week", () => {
  const { status, kept } = update(["payout"], { stopped: "payout-2" });
  expect(status).toBe(0);
  const logs = kept();
  expect(logs.map(({ text }) => text).sort()).toEqual(["log of payout-1\n", "log of payout-2\n"]);
  for (const { name, mode } of logs) {
    expect(name).toMatch(/^payout-\d{8}T\d{6}Z-payout-\d\.log\.gz$/);
    expect(mode).toBe(0);
  }
}, 120_000);

it("removes no container whose log cannot be kept", () => {
  const failing = { call: "logs", after: 0 };
  const { status, stderr, calls } = update(["payout"], { failing });
  expect([status !== 0, stderr]).toEqual([true, expect.stringContaining("Stopped (payout)")]);
  expect(calls.filter((call) => call.startsWith("rm"))).toEqual([]);
}, 120_000);

it.each([
  ["the containers cannot be listed", { call: "compose ps --quiet compliance", after: 1 }],
  ["the image is unknown", { call: "image inspect", after: 0 }],
  ["the settings are unknown", { call: "compose config --hash", after: 0 }],
  ["the settings by themselves are unknown", { call: "compose --file -", after: 0 }],
  ["a container cannot be inspected", { call: "inspect --format {{.Config.Image}}", after: 0 }],
])(
  "stops, and stops no container, where %s",
  (_, failing) => {
    const { status, stderr, calls, leftOf } = update(["compliance"], { failing });
    expect(leftOf("compliance").map(({ id }) => id)).toEqual(["compliance-1", "compliance-2"]);
    expect(calls.filter((call) => call.startsWith("stop"))).toEqual([]);
    expect([status !== 0, stderr]).toEqual([true, expect.stringContaining("Stopped (compliance)")]);
  },
  120_000,
);
