import { posix } from "node:path";
import {
  isRule,
  isRuleOfPackage,
  isService,
  mayImport,
  mayTakeApart,
  type Place,
  placeOf,
} from "./places.ts";
import { type Finding, findingAt, isForTests, type Source } from "./source.ts";
import { whyForbiddenSubject } from "./subjects.ts";

/** An import or re-export: its module, and the imported names. */
export interface Import {
  specifier: string;
  names: string[];
  offset: number;
}

/** Modules with side effects outside of the process, or with waits. */
const outside =
  /^(?:node:(?:fs|https?|http2|tls|dgram|dns|child_process|timers|worker_threads|os|process|readline)(?:\/|$)|(?:mongodb|amqplib|koa|undici|pino|prom-client)(?:\/|$)|@(?:koa|bufbuild|connectrpc|grpc|opentelemetry)\/)/;

/**
 * The parts of these modules that rules may use, because they return the same result for the same
 * input.
 */
const pureParts: Record<string, RegExp> = {
  "node:net": /^(?:isIP|isIPv4|isIPv6|BlockList|SocketAddress)$/,
  "node:crypto": /^(?!random|getRandom|webcrypto|generate)/,
};

/** Checks the table "from / may import" of architecture.md. */
export function forbiddenImports(source: Source): Finding[] {
  return importsOf(source).flatMap((one) => {
    const why = whyForbidden(source.path, one);
    return why === undefined ? [] : [findingAt(source, one.offset, `${one.specifier}: ${why}`)];
  });
}

function whyForbidden(path: string, { specifier, names }: Import): string | undefined {
  if (specifier.startsWith("../../..")) return "is too far up; import it through its package";
  if (specifier.startsWith(".")) return whyForbiddenFile(path, specifier);
  const ours = /^@disburse\/([^/]+)(?:\/(.*))?$/.exec(specifier);
  if (ours !== null) return whyForbiddenWorkspace(path, ours[1] ?? "", ours[2] ?? "");
  if (!isRule(path) || isForTests(path)) return undefined;
  if (outside.test(specifier)) return "a rule does no input or output";
  const impure = names.find((name) => pureParts[specifier]?.test(name) === false);
  return impure === undefined ? undefined : `a rule may not use ${impure}`;
}

function whyForbiddenWorkspace(path: string, workspace: string, file: string): string | undefined {
  const place = placeOf(path);
  if (!mayImport(place, workspace, isForTests(path))) {
    return `${place.kind === "elsewhere" ? path : place.name} may not import ${workspace}`;
  }
  const isPure = workspace === "kernel" || isRuleOfPackage(workspace, file);
  if (isRule(path) && !isForTests(path) && !isPure) {
    return "a rule may import only the kernel and other rules";
  }
  const isForeign = place.kind === "elsewhere" || place.name !== workspace;
  const isForOthers = file === "main.ts" || file === "migrations.ts";
  if (isService(workspace) && isForeign && !isForOthers && !mayTakeApart(place)) {
    return "of a service, other workspaces may import only main.ts and migrations.ts";
  }
  return undefined;
}

/**
 * Inside a workspace, rules import only rules, stores import no callers, and no file imports
 * main.ts.
 */
function whyForbiddenFile(path: string, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  const [from, to] = [placeOf(path), placeOf(target)];
  if (!isSameWorkspace(from, to)) {
    return "leaves its workspace; import it through its package";
  }
  if (isForTests(path)) return undefined;
  if (from.kind === "elsewhere") return undefined;
  if (isRule(path) && !isRule(target)) return "a rule may import only the kernel and other rules";
  if (from.kind === "package") return whyForbiddenSubject(from.name, from.inside, to.inside);
  if (isStore(from.inside) && /^(?:rpc|events|main)\.ts$|^routes\//.test(to.inside)) {
    return "a store must not import its callers";
  }
  if (to.inside === "main.ts") return "main.ts wires a service: its other files must not import it";
  return whyForbiddenSubject(from.name, from.inside, to.inside);
}

function isSameWorkspace(from: Place, to: Place): boolean {
  if (from.kind === "elsewhere" || to.kind === "elsewhere") return from.kind === to.kind;
  return from.kind === to.kind && from.name === to.name;
}

function isStore(inside: string): boolean {
  return /(?:^|-)store\.ts$|^store\//.test(inside);
}

/** Every import and re-export of a file, of values and types, static and dynamic. */
export function importsOf({ module, text }: Source): Import[] {
  const imported = module.staticImports.map(({ moduleRequest, entries, start }) => ({
    specifier: moduleRequest.value,
    names: entries.flatMap(({ importName }) => importName.name ?? []),
    offset: start,
  }));
  const exported = module.staticExports.flatMap(({ entries, start }) =>
    entries.flatMap(({ moduleRequest, importName }) =>
      moduleRequest === null
        ? []
        : [{ specifier: moduleRequest.value, names: [importName.name ?? ""], offset: start }],
    ),
  );
  const dynamic = module.dynamicImports.map(({ moduleRequest, start }) => ({
    specifier: text.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""),
    names: [],
    offset: start,
  }));
  return [...imported, ...exported, ...dynamic];
}
