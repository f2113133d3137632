import { spawn } from "node:child_process";
import { join } from "node:path";
import { type Standalone, startStandalone } from "./start.ts";

/** `npm start` runs the whole platform on this machine until it is stopped. */

const root = join(import.meta.dirname, "../../..");

const databases = {
  embedded: "embedded engine",
  mongod: "mongod of this machine",
  external: "MONGODB_URI",
} as const satisfies Record<Standalone["engineKind"], string>;

const brokers = {
  private: "private RabbitMQ node",
  external: "RabbitMQ at AMQP_URL",
  "in process": "passed within the process (no RabbitMQ on this machine)",
} as const satisfies Record<Standalone["brokerKind"], string>;

/**
 * Returns the text that is printed at the start, with addresses, a first call and further reading.
 */
function banner({ sandbox, sandboxPath, engineKind, brokerKind, mailFolder }: Standalone): string {
  const { base_url, merchants, grpc, admin, issuer, console_url, operators_url } = sandbox;
  const { gateway, ...others } = grpc;
  const services = Object.entries({ ...others, "API keys": gateway }).map(
    ([name, url]) => `  ${name.padEnd(12)} ${url}`,
  );
  return `
Disburse sandbox
  gateway      ${base_url}
  reference    ${base_url}/docs
  console      ${console_url} (for merchants' people: mia, avi, vera, alma)
  operators    ${operators_url} (the console for operators: ada, bob, carol, dan, erin, frank)
${services.join("\n")}
  metrics      ${admin?.gateway}/metrics (of the gateway; those of the others are in the sandbox's file)
  database     ${databases[engineKind]}
  events       ${brokers[brokerKind]}
  e-mails      ${mailFolder ?? "sent by the mail server at SMTP_URL"}
  sign-in      ${issuer} (OpenID provider of the sandbox's people)
  sandbox      ${sandboxPath} (merchants, keys, accounts, people with their passwords, gRPC token)

Try it:
  curl -s ${base_url}/api/v1/transfer/accounts -H 'Authorization: Bearer ${merchants.acme.api_key}'

The main job, step by step: npm run demo        Read on: README.md
What one request did:       npm run trace -- ID (the X-Request-Id of its answer)
A person's access token:    npm run -s token -- treasury
`;
}

/** Builds the documentation if its sources have changed. It is not needed to be ready. */
function buildDocs(): void {
  const build = spawn(process.execPath, ["scripts/docs.mjs"], { cwd: root, stdio: "inherit" });
  process.on("exit", () => build.kill());
}

function fail(message: string): never {
  process.stderr.write(`\nDisburse cannot continue: ${message}\n`);
  process.exit(1);
}

function advice(error: unknown): string {
  const { code, port, message } = error as { code?: string; port?: number; message: string };
  if (code === "EADDRINUSE") {
    return `port ${port} is in use. Stop what listens there, or choose another: PORT=8081 npm start`;
  }
  if (code === "EACCES" && port !== undefined) {
    return `port ${port} may not be used by this user. Choose another: PORT=8081 npm start`;
  }
  return message ?? String(error);
}

const sayStep = (step: string) => void process.stderr.write(`${step}\n`);
const starting = startStandalone(process.env, root, fail, sayStep);

let stopping = false;
function stop(): void {
  if (stopping) process.exit(1);
  stopping = true;
  starting
    .then((standalone) => standalone.stop())
    .then(
      () => process.exit(0),
      (error: unknown) => fail(advice(error)),
    );
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);

try {
  const standalone = await starting;
  process.stdout.write(banner(standalone));
  process.stdout.write(`\nready ${standalone.sandbox.base_url}\n`);
  if (process.argv.includes("--docs")) buildDocs();
} catch (error) {
  if (!stopping) fail(advice(error));
}
