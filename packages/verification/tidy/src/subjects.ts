/**
 * The folders of chassis and the subjects of each service, lowest first, with the folders that each
 * may import. architecture.md draws the existing imports.
 */
export const subjects: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  chassis: {
    tracing: [],
    mongo: [],
    bus: [],
    identity: [],
    admin: [],
    crypto: ["mongo"],
    rpc: ["tracing", "mongo", "identity"],
    paging: ["rpc"],
    amqp: ["tracing", "mongo", "bus", "identity", "rpc"],
    audit: ["mongo", "identity", "rpc"],
    mutations: ["mongo", "crypto", "rpc", "audit"],
    approvals: ["mongo", "crypto", "rpc", "paging", "audit", "mutations"],
    service: [
      ...["tracing", "mongo", "bus", "identity", "admin", "crypto", "rpc", "amqp", "audit"],
      "mutations",
    ],
  },
  beneficiary: {
    records: [],
    merchants: [],
    permissions: ["merchants"],
    screening: ["records"],
    creation: ["records", "permissions", "screening"],
    beneficiaries: ["records", "creation"],
    depositors: ["records", "creation"],
    sandbox: ["records", "screening", "beneficiaries", "depositors"],
    links: ["records", "merchants", "permissions", "creation", "beneficiaries"],
  },
  compliance: {
    lists: [],
    wallets: ["lists"],
    banks: ["lists"],
    screening: ["lists", "wallets", "banks"],
    countries: ["banks", "screening"],
    index: ["lists", "wallets", "banks", "screening", "countries"],
    alerts: ["lists", "wallets", "banks", "screening"],
    monitoring: ["lists", "wallets", "banks", "screening", "alerts"],
    measure: ["lists", "screening", "index"],
  },
  gateway: {
    keys: [],
    team: ["keys"],
    sessions: ["team", "keys"],
    idempotency: [],
    requests: [],
    revocations: ["team", "keys"],
    openapi: ["keys"],
    resources: ["openapi", "team", "keys"],
    http: ["openapi", "idempotency", "keys", "sessions"],
    links: ["http"],
    console: ["http", "sessions", "team", "keys"],
  },
  notifier: {
    sender: [],
    endpoints: ["sender"],
    deliveries: ["endpoints", "sender"],
    mails: ["deliveries"],
    events: ["deliveries", "endpoints", "mails"],
    replays: ["events", "deliveries", "endpoints"],
    reconciliation: ["events", "deliveries"],
  },
  payout: {
    accounts: [],
    payouts: ["accounts"],
    "merchant-rules": ["payouts"],
    controls: ["payouts", "merchant-rules"],
    velocity: ["payouts", "merchant-rules", "controls"],
    treasury: ["payouts", "accounts"],
    execution: ["payouts", "velocity", "controls"],
    rails: ["payouts", "velocity", "treasury"],
    resolutions: ["payouts"],
    approvals: ["payouts", "execution", "rails"],
    reissues: ["payouts", "execution"],
    orders: ["payouts", "execution", "rails"],
    waiting: ["payouts", "execution", "orders"],
    batches: ["payouts", "controls", "execution", "orders"],
    revocations: ["controls", "orders", "batches"],
    statements: ["payouts", "accounts"],
    search: ["payouts", "accounts", "orders", "waiting", "batches"],
    sandbox: ["payouts", "accounts", "rails"],
  },
  quote: {
    corridors: [],
    quotes: ["corridors"],
  },
};

/**
 * In these packages, top-level files are the lowest layer. In a service, top-level files connect
 * the subjects.
 */
const topIsLowest: ReadonlySet<string> = new Set(["chassis"]);

/**
 * Top-level files of a service that its subjects may import. The other top-level files connect the
 * subjects.
 */
const forSubjects = /^(?:config|refusals|test-[^/]+)\.ts$/;

export function subjectOf(inside: string): string | undefined {
  const slash = inside.indexOf("/");
  return slash === -1 ? undefined : inside.slice(0, slash);
}

/** Explains why a file may not import another one of its workspace; paths are below its `src`. */
export function whyForbiddenSubject(
  workspace: string,
  from: string,
  to: string,
): string | undefined {
  const allowed = subjects[workspace];
  if (allowed === undefined) return undefined;
  const [subject, target] = [subjectOf(from), subjectOf(to)];
  const isLowest = topIsLowest.has(workspace);
  if (subject === undefined) {
    return isLowest && target !== undefined ? `${from} may not import ${target}` : undefined;
  }
  if (allowed[subject] === undefined) return `${subject} is no subject of ${workspace}`;
  if (target === undefined) {
    const mayImport = isLowest || forSubjects.test(to);
    return mayImport ? undefined : `${to} wires the service; a subject does not import it`;
  }
  if (target === subject || allowed[subject].includes(target)) return undefined;
  return `${subject} may not import ${target}`;
}

/**
 * Finds subjects that may import one that doesn't come earlier in the table. Without such imports
 * there are no cycles.
 */
export function disordered(table: typeof subjects): string[] {
  return Object.entries(table).flatMap(([service, order]) => {
    const names = Object.keys(order);
    return names.flatMap((subject, index) =>
      (order[subject] ?? [])
        .filter((each) => !names.slice(0, index).includes(each))
        .map((each) => `${service}: ${subject} imports ${each}, which does not come before it`),
    );
  });
}
