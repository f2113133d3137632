/**
 * The subjects of the services that are laid out by subject, lowest first: each with those of its
 * service that it may import. ARCHITECTURE.md draws the imports that there are.
 */
export const subjects: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  beneficiary: {
    records: [],
    merchants: [],
    settings: ["merchants"],
    screening: ["records"],
    creation: ["records", "settings", "screening"],
    beneficiaries: ["records", "creation"],
    depositors: ["records", "creation"],
    sandbox: ["records", "screening", "beneficiaries", "depositors"],
    links: ["records", "merchants", "settings", "creation", "beneficiaries"],
  },
  compliance: {
    lists: [],
    wallets: ["lists"],
    banks: ["lists"],
    screening: ["lists", "wallets", "banks"],
    index: ["lists", "wallets", "banks", "screening"],
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
    events: ["deliveries", "endpoints"],
    replays: ["events", "deliveries", "endpoints"],
    reconciliation: ["events", "deliveries"],
  },
  payout: {
    ledger: [],
    payouts: ["ledger"],
    settings: ["payouts"],
    controls: ["payouts", "ledger", "settings"],
    velocity: ["payouts", "settings", "controls"],
    treasury: ["payouts", "ledger"],
    execution: ["payouts", "ledger", "velocity", "controls"],
    rails: ["payouts", "ledger", "velocity", "treasury"],
    resolutions: ["payouts"],
    approvals: ["payouts", "execution", "rails"],
    reissues: ["payouts", "execution"],
    orders: ["payouts", "ledger", "execution", "rails"],
    batches: ["payouts", "ledger", "controls", "execution", "orders"],
    revocations: ["controls", "orders", "batches"],
    statements: ["ledger", "payouts"],
    sandbox: ["payouts", "ledger", "rails"],
  },
  quote: {
    corridors: [],
    quotes: ["corridors"],
  },
};

/** Files at the top of a service that its subjects may import; the others wire the service. */
const forSubjects = /^(?:config|refusals|test-[^/]+)\.ts$/;

/** The subject folder that a file inside a service is in, where it is in one. */
export function subjectOf(inside: string): string | undefined {
  const slash = inside.indexOf("/");
  return slash === -1 ? undefined : inside.slice(0, slash);
}

/** Why a file of a service may not import another one of it; both paths are below its `src`. */
export function whyForbiddenSubject(service: string, from: string, to: string): string | undefined {
  const allowed = subjects[service];
  const subject = subjectOf(from);
  if (allowed === undefined || subject === undefined) return undefined;
  if (allowed[subject] === undefined) return `${subject} is no subject of ${service}`;
  const target = subjectOf(to);
  if (target === undefined) {
    return forSubjects.test(to) ? undefined : `${to} wires the service; a subject does not know it`;
  }
  if (target === subject || allowed[subject].includes(target)) return undefined;
  return `${subject} may not import ${target}`;
}

/** What is wrong with the table: an arrow to a subject that does not stand before, a circle so. */
export function disordered(table: typeof subjects): string[] {
  return Object.entries(table).flatMap(([service, order]) => {
    const names = Object.keys(order);
    return names.flatMap((subject, index) =>
      (order[subject] ?? [])
        .filter((each) => !names.slice(0, index).includes(each))
        .map((each) => `${service}: ${subject} imports ${each}, which does not stand before it`),
    );
  });
}
