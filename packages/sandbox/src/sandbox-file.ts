import { existsSync, readFileSync } from "node:fs";
import type { Tls } from "@disburse/chassis/identity/certificates.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import type { Role } from "@disburse/chassis/principal.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { connectServices, type SandboxClients, type ServiceUrls } from "./clients.ts";
import {
  emailOf,
  everyRole,
  passwordOf,
  personToken,
  sandboxMembers,
  sandboxPeople,
} from "./people.ts";
import { listedParties, riskyWallets } from "./sandbox-list.ts";
import { type SandboxMerchants, type SeededSandbox, seedSandbox } from "./seed.ts";

/** `sandbox.json` (decisions §8): what tools and tests need of a sandbox. */
export type SandboxDocument = SeededSandbox & {
  readonly base_url: string;
  /** Where the merchants' people and the operators reach the console, where they do. */
  readonly console_url?: string | undefined;
  readonly operators_url?: string | undefined;
  readonly grpc: ServiceUrls;
  readonly grpc_token: string;
  /** The OpenID provider of its persons, where it has one. */
  readonly issuer?: string | undefined;
  readonly people: readonly SandboxPerson[];
  /** Where each service shows its probes and metrics, where that is known. */
  readonly admin?: ServiceUrls | undefined;
  readonly risky_wallets: typeof riskyWallets;
  readonly listed_parties: typeof listedParties;
};

/** A person of the sandbox's team, or of a merchant's, by the name for the sign-in. */
type SandboxPerson = {
  readonly name: string;
  /** Of an operator; of a member the one role in the merchant's team. */
  readonly roles: readonly (Role | (typeof sandboxMembers)[number]["role"])[];
  /** Of a member of a merchant's team. */
  readonly merchant_id?: string;
  readonly email?: string;
  /** Where there is a provider to sign in at. */
  readonly password?: string;
};

/** A century: `grpc_token` ends with its data folder, whose issuer signed it. */
const grpcTokenSeconds = 100 * 365 * 86_400;
/** The same at each start, so that the token stays the same. It names no sign-in. */
const grpcTokenTimes = {
  seconds: grpcTokenSeconds,
  issuedAt: new Date("2026-01-01T00:00:00Z"),
};

/** Creates the sandbox in running services and writes its file; a repeat changes nothing. */
export async function createSandbox({
  baseUrl,
  grpc,
  admin,
  identity,
  tls,
  issuerKey,
  issuer,
  console: consoleUrls,
  path,
}: {
  readonly baseUrl: string;
  readonly grpc: ServiceUrls;
  readonly admin?: ServiceUrls;
  /** Of the job that creates it. */
  readonly identity: ClientIdentity;
  /** Absent where the services are reached without. */
  readonly tls?: Tls | undefined;
  /** Signs `grpc_token`. */
  readonly issuerKey: string;
  /** The URL of the OpenID provider, where there is one. */
  readonly issuer?: string;
  /** The console for merchants' people and that for operators, where they are served. */
  readonly console?: { readonly members: string; readonly operators: string };
  /** Of `sandbox.json`. */
  readonly path: string;
}): Promise<SandboxDocument> {
  const { rpcs, close } = connectServices((name) => grpc[name], identity, tls);
  const seeded = await knownMerchants(rpcs, path)
    .then((known) => seedSandbox(rpcs, known))
    .finally(close);
  const sandbox: SandboxDocument = {
    base_url: baseUrl,
    console_url: consoleUrls?.members,
    operators_url: consoleUrls?.operators,
    ...seeded,
    grpc,
    grpc_token: await personToken(issuerKey, everyRole, grpcTokenTimes),
    issuer,
    people: peopleOf(seeded, issuer === undefined ? undefined : issuerKey),
    admin,
    risky_wallets: riskyWallets,
    listed_parties: listedParties,
  };
  writeFileAtomically(path, `${JSON.stringify(sandbox, null, 2)}\n`);
  return sandbox;
}

/** All people, with their passwords where there is a provider to sign in at. */
function peopleOf({ merchants }: SeededSandbox, signInKey: string | undefined): SandboxPerson[] {
  const withPassword = (person: SandboxPerson): SandboxPerson =>
    signInKey === undefined ? person : { ...person, password: passwordOf(signInKey, person.name) };
  return [
    ...sandboxPeople.map(({ id: name, roles }) => withPassword({ name, roles })),
    ...sandboxMembers.map((member) => {
      const { id: name, role, merchant } = member;
      const { merchant_id } = merchants[merchant];
      return withPassword({ name, roles: [role], merchant_id, email: emailOf(member) });
    }),
  ];
}

/** The merchants of an earlier file, where the gateway knows their keys. */
async function knownMerchants(
  { keys }: SandboxClients,
  path: string,
): Promise<SandboxMerchants | undefined> {
  if (!existsSync(path)) return undefined;
  const { merchants } = JSON.parse(readFileSync(path, "utf8")) as { merchants: SandboxMerchants };
  // The file may have outlived the database.
  const known = await keys.listKeys({ merchantId: merchants.acme.merchant_id });
  return known.keys.length === 0 ? undefined : merchants;
}
