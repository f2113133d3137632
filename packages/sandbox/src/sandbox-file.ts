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

/** Describes a sandbox to tools and tests (decisions §8). */
export type SandboxDocument = SeededSandbox & {
  readonly base_url: string;
  /** The URL of the console for merchants' team members, if the console is served. */
  readonly console_url?: string | undefined;
  readonly operators_url?: string | undefined;
  readonly grpc: ServiceUrls;
  /** A token of a person with every role. Absent if persons sign in at another provider. */
  readonly grpc_token?: string | undefined;
  readonly issuer?: string | undefined;
  readonly people: readonly SandboxPerson[];
  readonly admin?: ServiceUrls | undefined;
  readonly risky_wallets: typeof riskyWallets;
  readonly listed_parties: typeof listedParties;
};

/** An operator or a merchant's member, identified by sign-in name. */
type SandboxPerson = {
  readonly name: string;
  /** An operator's roles, or a member's single role. */
  readonly roles: readonly (Role | (typeof sandboxMembers)[number]["role"])[];
  /** Present for a merchant's member only. */
  readonly merchant_id?: string;
  readonly email?: string;
  /** Present if people sign in at a provider. */
  readonly password?: string;
};

/**
 * The lifetime of `grpc_token`, a century. The token stays valid as long as the data folder whose
 * issuer signed it.
 */
const grpcTokenSeconds = 100 * 365 * 86_400;
/** Constant times, so that the token is the same at each start. The token contains no sign-in. */
const grpcTokenTimes = {
  seconds: grpcTokenSeconds,
  issuedAt: new Date("2026-01-01T00:00:00Z"),
};

/** Creates the sandbox in running services and writes its file. A repeated run changes nothing. */
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
  readonly identity: ClientIdentity;
  /** Absent if the services use no TLS. */
  readonly tls?: Tls | undefined;
  /** The key of the sandbox's own issuer. Absent if persons sign in at another provider. */
  readonly issuerKey: string | undefined;
  readonly issuer?: string;
  /** The URLs of the members' and the operators' console, if they are served. */
  readonly console?: { readonly members: string; readonly operators: string };
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
    grpc_token: issuerKey && (await personToken(issuerKey, everyRole, grpcTokenTimes)),
    issuer,
    people:
      issuerKey === undefined ? [] : peopleOf(seeded, issuer === undefined ? undefined : issuerKey),
    admin,
    risky_wallets: riskyWallets,
    listed_parties: listedParties,
  };
  writeFileAtomically(path, `${JSON.stringify(sandbox, null, 2)}\n`);
  return sandbox;
}

/** Includes passwords only if there is a provider to sign in at. */
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

/** Returns the merchants of an earlier file, if the gateway has their keys. */
async function knownMerchants(
  { keys }: SandboxClients,
  path: string,
): Promise<SandboxMerchants | undefined> {
  if (!existsSync(path)) return undefined;
  const { merchants } = JSON.parse(readFileSync(path, "utf8")) as { merchants: SandboxMerchants };
  // The file may still exist although the database was deleted.
  const known = await keys.listKeys({ merchantId: merchants.acme.merchant_id });
  return known.keys.length === 0 ? undefined : merchants;
}
