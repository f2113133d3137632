import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";

export type BannerParts = {
  readonly sandbox: SandboxDocument;
  readonly sandboxPath: string;
  /** `embedded engine`, `mongod on PATH`, `MONGODB_URI`. */
  readonly database: string;
  readonly broker: string;
};

/**
 * What a newcomer reads when the platform is up: where it is, one call that works, where to read
 * on.
 */
export function banner({ sandbox, sandboxPath, database, broker }: BannerParts): string {
  const { base_url, merchants, grpc } = sandbox;
  const { gateway, ...others } = grpc;
  const services = Object.entries({ ...others, "API keys": gateway }).map(
    ([name, url]) => `  ${name.padEnd(12)} ${url}`,
  );
  return `
Disburse sandbox
  gateway      ${base_url}
  reference    ${base_url}/docs
${services.join("\n")}
  database     ${database}
  events       ${broker}
  sandbox      ${sandboxPath} (merchants, keys, accounts, gRPC token)

Try it:
  curl -s ${base_url}/api/v1/transfer/accounts -H 'Authorization: Bearer ${merchants.acme.api_key}'

The main job, step by step: npm run demo        Read on: README.md
What one request did:       npm run trace -- ID (the X-Request-Id of its answer)
`;
}
