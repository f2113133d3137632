/** A workspace, or a path outside of every workspace. */
export type Place =
  | { kind: "service" | "package"; name: string; inside: string }
  | { kind: "elsewhere"; inside: string };

const services = ["beneficiary", "compliance", "gateway", "notifier", "payout", "quote"];

/**
 * The workspace packages that each package may import. A package that is missing in this table may
 * import none.
 */
const packageImports: Record<string, readonly string[]> = {
  "bank-files": ["kernel"],
  "bank-rail": ["bank-files", "chassis", "contracts", "kernel", "rail"],
  "bank-simulator": ["harness"],
  "bitcoin-rail": ["chain-rail", "chassis", "contracts", "forms", "kernel", "rail"],
  bench: [
    ...["kernel", "contracts", "chassis", "embedded", "harness"],
    ...["invariants", "ledger", "platform", "sandbox"],
  ],
  "browser-tests": ["embedded", "harness", "sandbox", "testkit"],
  "chain-rail": ["chassis", "contracts", "kernel", "rail"],
  chassis: ["kernel", "contracts"],
  cli: ["bank-files", "commands", "contracts", "kernel", "sdk"],
  commands: ["contracts", "kernel"],
  console: ["commands", "contracts", "sdk"],
  drills: ["embedded", "invariants", "platform", "harness", "sandbox"],
  deploy: ["embedded", "harness"],
  "docs-site": ["sdk"],
  engines: ["embedded", "faults", "harness", "invariants", "platform"],
  files: ["chassis", "kernel"],
  "evm-rail": ["chain-rail", "chassis", "forms", "kernel", "rail"],
  faults: [
    ...["kernel", "contracts", "chassis", "embedded", "invariants", "platform", "harness"],
    "sandbox",
  ],
  forms: ["kernel"],
  invariants: ["kernel", "embedded", "harness"],
  ledger: ["chassis", "contracts", "kernel"],
  operate: [...["embedded", "faults", "harness", "invariants", "platform"], "sandbox"],
  platform: ["chassis", "embedded", "sandbox", "standalone"],
  rail: ["chassis", "contracts", "kernel"],
  rails: [
    ...["kernel", "contracts", "chassis", "embedded", "bank-files", "sandbox", "sdk", "standalone"],
    ...["platform", "harness", "invariants", "faults", "testkit", "bank-simulator"],
  ],
  sandbox: ["kernel", "commands", "contracts", "chassis"],
  simulation: [
    ...["kernel", "contracts", "chassis", "invariants", "harness", "bank-files"],
    ...["rail", "bank-rail", "chain-rail", "notifier", "payout", "quote"],
  ],
  "solana-rail": ["chain-rail", "chassis", "forms", "kernel", "rail"],
  standalone: ["kernel", "contracts", "chassis", "embedded", "sandbox", "sdk", ...services],
  "statement-formats": ["bank-files", "kernel"],
  testkit: ["kernel", "contracts", "chassis", "embedded", "platform", "sandbox"],
};

const serviceImports = ["kernel", "contracts", "chassis", "forms"];

/** Further packages that only one service may import. */
const ownImports: Record<string, readonly string[]> = {
  compliance: ["files", "name-matcher", "statement-formats"],
  payout: [
    ...["bank-files", "ledger", "rail"],
    ...["bank-rail", "bitcoin-rail", "evm-rail", "solana-rail"],
    "statement-formats",
  ],
};

export function placeOf(path: string): Place {
  const [, folder, name, inside] =
    /^(packages\/verification|packages|services)\/([^/]+)\/(?:src\/)?(.*)$/.exec(path) ?? [];
  if (folder === undefined || name === undefined) return { kind: "elsewhere", inside: path };
  return { kind: folder === "services" ? "service" : "package", name, inside: inside ?? "" };
}

/** Workspaces that all tests may import. */
const forTestsOnly = ["testkit", "sandbox", "bank-simulator"];

export function mayImport(place: Place, workspace: string, forTests: boolean): boolean {
  if (place.kind === "elsewhere" || place.name === workspace) return true;
  if (forTests && forTestsOnly.includes(workspace)) return true;
  if (place.kind === "package") return packageImports[place.name]?.includes(workspace) ?? false;
  return [...serviceImports, ...(ownImports[place.name] ?? [])].includes(workspace);
}

/**
 * True if a file in `place` may import more of a service than its main.ts and migrations.ts. The
 * simulation assembles services' parts without their processes.
 */
export function mayTakeApart(place: Place): boolean {
  return place.kind === "package" && place.name === "simulation";
}

/**
 * Packages whose files are rules, except for files that match the pattern: measurement, threads,
 * connections and stores.
 */
const packagesOfRules: Record<string, RegExp> = {
  "bank-files": /^(?:measure|iso20022\/schemas|reading|sftp)\//,
  "chain-rail": /^(?!rules\/)/,
  ledger: /^(?!rules\/)/,
  "name-matcher": /^measure\//,
  rail: /^(?:rail-package|settings|test-contract)\.ts$/,
  "solana-rail": /^(?!rules\/)/,
  "statement-formats": /^pdf/,
};

/** True for a rule of a package. `inside` is the file's path below the package's `src`. */
export function isRuleOfPackage(name: string, inside: string): boolean {
  return packagesOfRules[name]?.test(inside) === false;
}

/** True for a rule: a file without side effects, which can be read and tested alone. */
export function isRule(path: string): boolean {
  const place = placeOf(path);
  if (place.kind === "package") return isRuleOfPackage(place.name, place.inside);
  return place.kind === "service" && /^(?:domain|(?:[^/]+\/)?rules)\//.test(place.inside);
}

export function isService(name: string): boolean {
  return services.includes(name);
}
