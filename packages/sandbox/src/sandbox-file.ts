import { existsSync, readFileSync } from "node:fs";
import { type ServiceUrls, withSandboxClients } from "./clients.ts";
import { listedParties, riskyWallets } from "./sandbox-list.ts";
import {
  type SandboxClients,
  type SandboxMerchants,
  type SeededSandbox,
  seedSandbox,
} from "./seed.ts";
import { writeFileAtomically } from "./whole-file.ts";

/** `sandbox.json` (decisions §8): what tools and tests need to use a sandbox. */
export type SandboxDocument = SeededSandbox & {
  readonly base_url: string;
  readonly grpc: ServiceUrls;
  readonly grpc_token: string;
  readonly risky_wallets: typeof riskyWallets;
  readonly listed_parties: typeof listedParties;
};

/** Where the services are, and where the file is to be. */
export type SandboxPlace = {
  readonly baseUrl: string;
  readonly grpc: ServiceUrls;
  readonly serviceToken: string;
  readonly path: string;
};

/** Makes the sandbox in running services and writes down what it holds; again changes nothing. */
export async function createSandbox(place: SandboxPlace): Promise<SandboxDocument> {
  const { baseUrl, grpc, serviceToken, path } = place;
  const seeded = await withSandboxClients(grpc, serviceToken, async (clients) =>
    seedSandbox(clients, await knownMerchants(clients, path)),
  );
  const sandbox: SandboxDocument = {
    base_url: baseUrl,
    ...seeded,
    grpc,
    grpc_token: serviceToken,
    risky_wallets: riskyWallets,
    listed_parties: listedParties,
  };
  writeFileAtomically(path, `${JSON.stringify(sandbox, null, 2)}\n`);
  return sandbox;
}

/** The merchants of the file's sandbox, unless the gateway knows no key of theirs. */
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
