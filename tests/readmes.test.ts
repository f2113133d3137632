import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { busSettings } from "@disburse/chassis/amqp/settings.ts";
import { sealingSettings } from "@disburse/chassis/crypto/settings.ts";
import { commonSettings } from "@disburse/chassis/service/settings.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { describe, expect, it } from "vitest";
import { settingsOf } from "./service-settings.ts";

/** Compares services' references with all RPCs and route groups, in both directions. */

const root = join(import.meta.dirname, "..");
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const readme = (service: string) => read("services", service, "README.md");

/** Returns a service's README together with its reference, if it has one. */
function reference(service: string): string {
  const name = `${service}.md`;
  const hasPage = existsSync(join(root, "docs/reference/services", name));
  return readme(service) + (hasPage ? read("docs/reference/services", name) : "");
}

function rpcsOf(name: string): string[] {
  const folder = join(root, "proto", "disburse", name, "v1");
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  return texts.flatMap((text) =>
    [...text.matchAll(/^ {2}rpc (\w+)\(/gm)].map(([, rpc = ""]) => rpc),
  );
}

const shared = ["approval", "audit"];
const every = new Set([...serviceNames, ...shared].flatMap(rpcsOf));
/** Matches a name in code style that could be an RPC. */
const likeAnRpc =
  /`((?:Get|List|Create|Set|Open|Credit|Propose|Confirm|Withdraw|Resolve|Screen|Import)[A-Z]\w+)`/g;

describe.each(serviceNames)("the README of %s", (service) => {
  it("is at most 60 lines", () => {
    expect(readme(service).trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  });
});

describe.each(serviceNames)("the reference of %s", (service) => {
  it("names every RPC", () => {
    const text = reference(service);
    expect(rpcsOf(service).filter((rpc) => !text.includes(`\`${rpc}\``))).toEqual([]);
  });

  it("names every setting of its own", () => {
    const shared = new Set(Object.keys(commonSettings));
    const own = [...settingsOf(service)].filter((name) => !shared.has(name));
    const text = reference(service);
    expect(own.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  it("names no RPC that there is not", () => {
    const named = [...reference(service).matchAll(likeAnRpc)].map(([, name = ""]) => name);
    expect(named.filter((name) => !every.has(name))).toEqual([]);
  });
});

it("the page of settings has every shared setting, and no other", () => {
  const page = read("docs/reference/settings.md");
  const rows = [...page.matchAll(/^\| (`[A-Z].*?) \|/gm)].map(([, first]) => first).join();
  const listed = [...rows.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const shared = { ...commonSettings, ...busSettings, ...sealingSettings };
  expect(listed.toSorted()).toEqual(Object.keys(shared).toSorted());
});

it("the reference of the gateway names the route of every resource", () => {
  const text = reference("gateway");
  const { paths } = JSON.parse(readFileSync(join(root, "docs", "openapi.json"), "utf8"));
  const own = Object.keys(paths).filter((path) => path.startsWith("/api/v1/"));
  const folders = new Set(own.map((path) => path.replace("/api/v1", "").split("/{")[0]));
  const named = [...text.matchAll(/`(\/[a-z{},/.-]+)`/g)].flatMap(([, path = ""]) =>
    expanded(path),
  );
  const missing = [...folders].filter(
    (folder) => !named.some((path) => folder === path || folder?.startsWith(`${path}/`)),
  );
  expect(missing).toEqual([]);
});

function expanded(path: string): string[] {
  const [, before, inside, after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return inside === undefined
    ? [path]
    : inside.split(",").map((each) => `${before}${each}${after}`);
}
