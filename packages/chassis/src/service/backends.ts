import { MongoClient, type MongoOptions } from "mongodb";
import { brokerAddressesOf } from "../amqp/addresses.ts";
import { type Mode, SettingsError } from "../settings.ts";

/** Addresses of the database and broker of a process. */
export type BackendSettings = {
  readonly DISBURSE_MODE: Mode;
  readonly MONGODB_URI: string;
  readonly AMQP_URL?: string | undefined;
  readonly BACKEND_TLS_BY_MESH: boolean;
  readonly TLS_CERT_FILE?: string | undefined;
};

/**
 * Refuses live mode with an insecure backend. The database and the broker need TLS, verification of
 * their certificates, and credentials. RPCs need mutual TLS. With `BACKEND_TLS_BY_MESH`, a service
 * mesh provides TLS, but credentials are still required.
 *
 * @throws {SettingsError} that names each setting and its defect, and no value.
 */
export function assertSafeBackends(settings: BackendSettings): void {
  if (settings.DISBURSE_MODE !== "live") return;
  const { MONGODB_URI: uri, AMQP_URL: url, BACKEND_TLS_BY_MESH: hasMesh } = settings;
  const problems = [
    ...databaseProblems(uri, hasMesh).map((problem) => `MONGODB_URI: ${problem}`),
    ...(url === undefined ? [] : brokerProblems(url, hasMesh)).map((each) => `AMQP_URL: ${each}`),
    ...(settings.TLS_CERT_FILE || hasMesh ? [] : ["TLS_CERT_FILE: is required in live mode"]),
  ];
  if (problems.length > 0) throw new SettingsError(`settings: ${problems.join("; ")}`);
}

/**
 * In live mode, refuses to call a service without TLS, unless a service mesh encrypts the
 * connection.
 *
 * @throws {SettingsError} that names the setting.
 */
export function assertSafeService(
  { DISBURSE_MODE: mode, BACKEND_TLS_BY_MESH: hasMesh }: Omit<BackendSettings, "MONGODB_URI">,
  service: string,
  urls: readonly string[],
): void {
  if (mode !== "live" || hasMesh || urls.every((url) => url.startsWith("https:"))) return;
  const setting = `${service.toUpperCase()}_URL`;
  throw new SettingsError(`settings: ${setting}: must be an https:// address in live mode`);
}

/**
 * Authentication mechanisms that need no password, because a certificate or a cloud identity is the
 * credential.
 */
const namedOtherwise: ReadonlySet<string> = new Set([
  "MONGODB-X509",
  "MONGODB-AWS",
  "MONGODB-OIDC",
]);

function databaseProblems(uri: string, hasMesh: boolean): string[] {
  let options: MongoOptions;
  try {
    // Parses the address by the driver's rules, without connecting.
    options = new MongoClient(uri).options;
  } catch {
    return ["is malformed"];
  }
  const { tls, credentials, rejectUnauthorized, checkServerIdentity } = options;
  const isUnverified = rejectUnauthorized === false || checkServerIdentity !== undefined;
  const hasUser =
    namedOtherwise.has(credentials?.mechanism ?? "") || (credentials?.username ?? "") !== "";
  return [
    ...(tls || hasMesh ? [] : ["must have tls=true in live mode"]),
    ...(tls && isUnverified ? ["must verify the server's certificate in live mode"] : []),
    ...(hasUser ? [] : ["must name a user in live mode"]),
  ];
}

/** Returns each problem once, however many addresses have it. */
function brokerProblems(text: string, hasMesh: boolean): string[] {
  const all = brokerAddressesOf(text).flatMap((address) => addressProblems(address, hasMesh));
  return [...new Set(all)];
}

function addressProblems(text: string, hasMesh: boolean): string[] {
  const { protocol, hostname = "", username = "" } = URL.parse(text) ?? {};
  if (hostname === "") return ["is malformed"];
  const isOwn = username !== "" && username !== "guest";
  return [
    ...(protocol === "amqps:" || hasMesh ? [] : ["must be an amqps:// address in live mode"]),
    ...(isOwn ? [] : ["must name this service's own user, not guest, in live mode"]),
  ];
}
