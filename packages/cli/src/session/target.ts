import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { didYouMean } from "@disburse/kernel/nearest.ts";
import { parse } from "yaml";
import { z } from "zod";
import { CommandError, usageError } from "../output/failure.ts";
import type { World } from "../table/world.ts";
import type { TlsFiles } from "./tls.ts";

/** The order of the services in `disburse status`. */
export const serviceNames = [
  "gateway",
  "beneficiary",
  "compliance",
  "quote",
  "payout",
  "notifier",
] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The deployment that a command calls. */
export type Target = {
  /** The target's name in messages: its profile, the sandbox's file or the environment. */
  readonly name: string;
  /** RPC addresses by service. A service with replicas has several addresses. */
  readonly urls: Readonly<Partial<Record<ServiceName, readonly string[]>>>;
  readonly issuer?: string | undefined;
  readonly clientId: string;
  readonly scope: string;
  /** The access token in `DISBURSE_TOKEN`. */
  readonly token?: string | undefined;
  /** Files for TLS. If absent, services use no TLS or the system's TLS settings. */
  readonly tls?: TlsFiles | undefined;
  /** The sandbox's `grpc_token`, used if no one is logged in. */
  readonly sandboxToken?: string | undefined;
};

/** Target options of the command line. */
export type TargetChoice = {
  readonly sandbox?: string | undefined;
  readonly profile?: string | undefined;
};

const clientIdDefault = "disburse-cli";
/** The services' default for `TRUST_DOMAIN`. */
const trustDomainDefault = "disburse";
/** `offline_access` requests a refresh token. */
const scopeDefault = "openid offline_access";
/** Scope for access tokens from a sandbox's own provider. */
const scopeOfSandbox = "openid disburse";
/** The data folder of `npm start`. */
const dataFolder = ".data";

/** One URL, or several in a list or separated by commas. */
const urlsSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((each) => each.split(",")))
  .pipe(z.array(z.url({ protocol: /^https?$/, error: "must be an http or https URL" })).min(1));

const servicesSchema = z.strictObject({
  gateway: urlsSchema.optional(),
  beneficiary: urlsSchema.optional(),
  compliance: urlsSchema.optional(),
  quote: urlsSchema.optional(),
  payout: urlsSchema.optional(),
  notifier: urlsSchema.optional(),
});

const profileSchema = z.strictObject({
  issuer: z.url().optional(),
  client_id: z.string().optional(),
  scope: z.string().optional(),
  ca_file: z.string().optional(),
  cert_file: z.string().optional(),
  key_file: z.string().optional(),
  trust_domain: z.string().optional(),
  services: servicesSchema,
});

const profilesSchema = z.strictObject({
  default: z.string().optional(),
  profiles: z.record(z.string(), profileSchema),
});

const sandboxSchema = z.object({
  grpc: servicesSchema,
  grpc_token: z.string().optional(),
  issuer: z.url().optional(),
});

/**
 * Selects the deployment: `--sandbox` or `--profile`, then `DISBURSE_SANDBOX`, `DISBURSE_PROFILE`
 * or `DISBURSE_<SERVICE>_URL`, then the default profile, then the sandbox in this folder. Addresses
 * and issuer in the environment override those of a profile or sandbox.
 */
export function readTarget(world: World, choice: TargetChoice): Target {
  if (choice.sandbox !== undefined && choice.profile !== undefined) {
    throw usageError("--sandbox and --profile exclude each other");
  }
  const { environment } = world;
  const own = fromEnvironment(world);
  const base = baseTarget(world, choice, Object.keys(own.urls).length > 0);
  return {
    ...base,
    urls: { ...base.urls, ...own.urls },
    issuer: environment.DISBURSE_ISSUER || base.issuer,
    clientId: environment.DISBURSE_CLIENT_ID || base.clientId,
    scope: environment.DISBURSE_SCOPE || base.scope,
    token: environment.DISBURSE_TOKEN || undefined,
    tls: ownTls(world) ?? base.tls,
  };
}

/** A target without addresses. A call to a service fails and names the missing setting. */
export const nowhere: Target = {
  name: "the environment",
  urls: {},
  clientId: clientIdDefault,
  scope: scopeDefault,
};

function baseTarget(world: World, choice: TargetChoice, hasOwnUrls: boolean): Target {
  const { environment, folder } = world;
  if (choice.sandbox !== undefined) return sandboxTarget(resolve(folder, choice.sandbox));
  if (choice.profile !== undefined) return profileTarget(world, choice.profile);
  const { DISBURSE_SANDBOX, DISBURSE_PROFILE } = environment;
  if (DISBURSE_SANDBOX) return sandboxTarget(resolve(folder, DISBURSE_SANDBOX));
  if (DISBURSE_PROFILE) return profileTarget(world, DISBURSE_PROFILE);
  if (hasOwnUrls) return nowhere;
  const profiles = readProfiles(world);
  if (profiles?.default !== undefined) return profileTarget(world, profiles.default);
  const own = join(folder, dataFolder);
  return existsSync(join(own, "sandbox.json")) ? sandboxTarget(own) : nowhere;
}

function fromEnvironment({ environment }: World): Pick<Target, "urls"> {
  const urls = serviceNames.flatMap((name) => {
    const variable = `DISBURSE_${name.toUpperCase()}_URL`;
    const given = environment[variable];
    return given ? [[name, checked(urlsSchema, given, variable)] as const] : [];
  });
  return { urls: Object.fromEntries(urls) };
}

/** Reads the TLS files' paths from the environment. Relative paths start at the working folder. */
function ownTls({ environment, folder }: World): TlsFiles | undefined {
  return tlsOf(folder, {
    ca_file: environment.DISBURSE_CA_FILE || undefined,
    cert_file: environment.DISBURSE_CERT_FILE || undefined,
    key_file: environment.DISBURSE_KEY_FILE || undefined,
    trust_domain: environment.DISBURSE_TRUST_DOMAIN || undefined,
  });
}

type TlsSettings = Pick<
  z.infer<typeof profileSchema>,
  "ca_file" | "cert_file" | "key_file" | "trust_domain"
>;

function tlsOf(folder: string, settings: TlsSettings): TlsFiles | undefined {
  const { ca_file: ca, cert_file: cert, key_file: key } = settings;
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  if ((cert === undefined) !== (key === undefined)) {
    throw usageError(
      "a certificate and its key go together: set DISBURSE_CERT_FILE and DISBURSE_KEY_FILE",
    );
  }
  const at = (path: string | undefined) => (path === undefined ? path : resolve(folder, path));
  const trustDomain = settings.trust_domain ?? trustDomainDefault;
  return { ca: at(ca), cert: at(cert), key: at(key), trustDomain };
}

export function profilesPath({ environment }: World): string {
  const home = environment.HOME || homedir();
  const folder = environment.XDG_CONFIG_HOME || join(home, ".config");
  return join(folder, "disburse", "profiles.yaml");
}

function readProfiles(world: World) {
  const path = profilesPath(world);
  return existsSync(path) ? checked(profilesSchema, parsed(path), path) : undefined;
}

function profileTarget(world: World, name: string): Target {
  const profiles = readProfiles(world)?.profiles ?? {};
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) {
    const hint = didYouMean(name, Object.keys(profiles));
    throw usageError(`there is no profile "${name}" in ${profilesPath(world)}${hint}`);
  }
  const { issuer, client_id, scope, services } = profile;
  return {
    tls: tlsOf(dirname(profilesPath(world)), profile),
    name: `profile ${name}`,
    urls: definedOf(services),
    issuer,
    clientId: client_id ?? clientIdDefault,
    scope: scope ?? scopeDefault,
  };
}

/** Accepts a sandbox's data folder, or the `sandbox.json` in it. */
function sandboxTarget(given: string): Target {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const path = isFolder ? join(given, "sandbox.json") : given;
  if (!existsSync(path)) throw usageError(`there is no sandbox at ${path}`);
  const { grpc, grpc_token, issuer } = checked(sandboxSchema, parsed(path), path);
  return {
    name: `sandbox ${path}`,
    urls: definedOf(grpc),
    issuer,
    sandboxToken: grpc_token,
    clientId: clientIdDefault,
    scope: scopeOfSandbox,
  };
}

function parsed(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${path}: ${problem}`, { exit: "usage", code: "usage", cause: error });
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw usageError(`${where}: ${problems.join("; ")}`);
}

function definedOf(services: z.infer<typeof servicesSchema>): Target["urls"] {
  const entries = Object.entries(services).filter(([, urls]) => urls !== undefined);
  return Object.fromEntries(entries) as Target["urls"];
}

/** Returns the addresses of a service; throws a usage error if the target has none. */
export function urlsOf(
  { name, urls }: Target,
  service: ServiceName,
): readonly [string, ...string[]] {
  const [first, ...others] = urls[service] ?? [];
  if (first !== undefined) return [first, ...others];
  const how = `set DISBURSE_${service.toUpperCase()}_URL, or use a profile or --sandbox`;
  throw usageError(`${name} has no address of the ${service} service: ${how}`);
}
