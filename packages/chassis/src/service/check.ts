import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { connect as connectBroker } from "amqplib";
import type { z } from "zod";
import { brokerAddressesOf } from "../amqp/addresses.ts";
import { closeConnection } from "../amqp/connection.ts";
import { busSettings } from "../amqp/settings.ts";
import { openAuditSink } from "../audit/open.ts";
import { assertEvidence, auditSettings } from "../audit/settings.ts";
import type { Tls } from "../identity/certificates.ts";
import { assertKeyOf } from "../identity/open.ts";
import { openTls } from "../identity/open-tls.ts";
import { silentLog } from "../log.ts";
import { databaseClock } from "../mongo/clock.ts";
import { connectDatabase } from "../mongo/database.ts";
import { assertMigrated, type Migration } from "../mongo/migrations.ts";
import { connectService } from "../rpc/client.ts";
import { type Environment, readSettings, SettingsError, serviceUrlSetting } from "../settings.ts";
import { assertSafeBackends, assertSafeService } from "./backends.ts";
import { type Privilege, privilegeFindings } from "./database-privileges.ts";
import type { Finding } from "./finding.ts";
import { commonSettings, databaseSetting } from "./settings.ts";

/** A server that a rail of the payout service calls. */
export type RailServer = { readonly rail: string; readonly host: string; readonly port: number };

export type Checked = {
  readonly service: string;
  readonly environment: Environment;
  readonly migrations: readonly Migration[];
  /** Reads all settings, as the start does. Returns the servers of the configured rails. */
  readonly readSettings: () => Promise<readonly RailServer[]>;
};

/** A working peer answers within this time. */
const timeoutMs = 5_000;
const skewMaxMs = 5_000;
/** DisburseCertificateExpiring fires at the same time. */
const certificateDays = 14;
const dayMs = 86_400_000;
/** A majority survives the loss of one member. */
const membersMin = 3;
const peers = ["beneficiary", "compliance", "gateway", "notifier", "payout", "quote"] as const;

const ok = (part: string, text: string): Finding => ({ part, state: "ok", text });
const warning = (part: string, text: string): Finding => ({ part, state: "warning", text });
const failed = (part: string, text: string): Finding => ({ part, state: "failed", text });

/**
 * Checks the settings of a service and everything that it connects to, without changing anything.
 * Each check runs even if others fail, so that one run shows all defects.
 */
export async function checkService(checked: Checked): Promise<Finding[]> {
  const { service, environment, migrations } = checked;
  const settings = await settingsFindings(checked);
  const certificates = certificateFindings(service, environment);
  const [database, broker, sink, persons, rails, called] = await Promise.all([
    databaseFindings(service, environment, migrations),
    brokerFindings(environment),
    sinkFindings(environment),
    personFindings(environment),
    Promise.all(settings.servers.map(railFinding)),
    peerFindings(service, environment, certificates.tls),
  ]);
  certificates.tls?.stop();
  return [
    ...settings.findings,
    ...certificates.findings,
    ...database.findings,
    ...clockFinding([...database.clocks, ...persons.clocks]),
    ...broker,
    ...sink,
    ...persons.findings,
    ...rails,
    ...called,
  ];
}

async function settingsFindings({ service, environment, readSettings: read }: Checked) {
  const problems: string[] = [];
  const note = (error: unknown) => {
    const { message } = error as Error;
    const isSettings = error instanceof SettingsError;
    problems.push(...(isSettings ? message.replace("settings: ", "").split("; ") : [message]));
  };
  const servers = await read().catch((error: unknown): readonly RailServer[] => {
    note(error);
    return [];
  });
  const attempt = (refuseUnsafe: () => void) => {
    try {
      refuseUnsafe();
    } catch (error) {
      note(error);
    }
  };
  const given = validSettings(environment, { ...commonSettings, AMQP_URL: busSettings.AMQP_URL });
  const { DISBURSE_MODE: mode, BACKEND_TLS_BY_MESH: hasMesh = false, MONGODB_URI: uri } = given;
  if (mode !== undefined) {
    const safe = { ...given, DISBURSE_MODE: mode, BACKEND_TLS_BY_MESH: hasMesh };
    if (uri !== undefined) attempt(() => assertSafeBackends({ ...safe, MONGODB_URI: uri }));
    attempt(() => assertEvidence(safe));
    for (const peer of othersThan(service)) {
      attempt(() => assertSafeService(safe, peer, peerUrls(environment, peer)));
    }
  }
  const { SERVICE_KEY: key } = given;
  if (key !== undefined) attempt(() => assertKeyOf(service, key));
  const unique = [...new Set(problems)].map((each) => failed("settings", each));
  return { findings: unique.length > 0 ? unique : [ok("settings", mode ?? "")], servers };
}

/** Returns the settings that are valid by themselves. The others have a finding already. */
function validSettings<Shape extends z.ZodRawShape>(environment: Environment, shape: Shape) {
  const entries = Object.entries(shape).map(([name, type]) => {
    try {
      return [name, (readSettings(environment, { [name]: type }) as Record<string, unknown>)[name]];
    } catch {
      return [name, undefined];
    }
  });
  return Object.fromEntries(entries) as Partial<z.output<z.ZodObject<Shape>>>;
}

function certificateFindings(service: string, environment: Environment) {
  const part = "certificates";
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE, TLS_CLIENTS, TRUST_DOMAIN } = commonSettings;
  const shape = { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE, TLS_CLIENTS, TRUST_DOMAIN };
  try {
    const tls = openTls(service, readSettings(environment, shape), silentLog);
    if (tls === undefined) return { tls, findings: [warning(part, "there is no mutual TLS")] };
    const { validToDate } = new X509Certificate(tls.material().cert);
    const days = Math.floor((validToDate.getTime() - Date.now()) / dayMs);
    const text = `${days} days until ${validToDate.toISOString().slice(0, 10)}`;
    return { tls, findings: [days < certificateDays ? warning(part, text) : ok(part, text)] };
  } catch (error) {
    return { tls: undefined, findings: [failed(part, reasonOf(error))] };
  }
}

/** The difference between the clock of this machine and another one. */
type Clock = { readonly of: string; readonly differenceMs: number };
type Found = { readonly findings: Finding[]; readonly clocks: Clock[] };

async function databaseFindings(
  service: string,
  environment: Environment,
  migrations: readonly Migration[],
): Promise<Found> {
  const part = "database";
  const { MONGODB_URI, DISBURSE_MODE } = commonSettings;
  const shape = { MONGODB_URI, DISBURSE_MODE, DATABASE: databaseSetting(service) };
  const {
    MONGODB_URI: uri,
    DATABASE: name = "",
    DISBURSE_MODE: mode,
  } = validSettings(environment, shape);
  if (uri === undefined) return { findings: [], clocks: [] };
  try {
    const database = await connectDatabase(uri, name);
    try {
      const admin = database.db.client.db("admin");
      const hello = await admin.command({ hello: 1 });
      const { version } = await admin.command({ buildInfo: 1 });
      const members = ((hello.hosts as string[] | undefined) ?? []).length;
      const text = `MongoDB ${version}, ${members === 0 ? "no replica set" : `replica set of ${members}`}`;
      const isSmall = mode === "live" && members < membersMin;
      const now = (await databaseClock(database)).now();
      const clocks = [{ of: part, differenceMs: now.getTime() - Date.now() }];
      const migrated = await assertMigrated(database, migrations).then(
        () => ok(part, "has every migration"),
        (error: unknown) => failed(part, reasonOf(error)),
      );
      const privileges = await privilegesOf(admin);
      return {
        findings: [
          isSmall ? warning(part, text) : ok(part, text),
          migrated,
          ...privilegeFindings(name, privileges),
        ],
        clocks,
      };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { findings: [failed(part, reasonOf(error))], clocks: [] };
  }
}

type Admin = { command(command: object): Promise<Record<string, unknown>> };

/** Returns undefined if the database has no users, as in a sandbox. */
async function privilegesOf(admin: Admin): Promise<readonly Privilege[] | undefined> {
  const command = { connectionStatus: 1, showPrivileges: true };
  const { authInfo } = await admin.command(command).catch(() => ({ authInfo: undefined }));
  const { authenticatedUsers = [], authenticatedUserPrivileges } = (authInfo ?? {}) as {
    readonly authenticatedUsers?: readonly unknown[];
    readonly authenticatedUserPrivileges?: readonly Privilege[];
  };
  return authenticatedUsers.length === 0 ? undefined : authenticatedUserPrivileges;
}

/** Connects to each node. Services work as long as they reach one of them. */
async function brokerFindings(environment: Environment): Promise<Finding[]> {
  const { AMQP_URL: urls } = validSettings(environment, busSettings);
  if (urls === undefined) return [];
  const nodes = await Promise.all(brokerAddressesOf(urls).map(brokerProblem));
  const isReachable = nodes.some(({ problem }) => problem === undefined);
  return nodes.map(({ host, problem }) => {
    if (problem === undefined) return ok("broker", `${host} accepts the service's user`);
    return (isReachable ? warning : failed)("broker", `${host}: ${problem}`);
  });
}

async function brokerProblem(address: string) {
  const { host = "" } = URL.parse(address) ?? {};
  try {
    const connection = await connectBroker(address, { timeout: timeoutMs });
    connection.on("error", () => undefined);
    await closeConnection(connection);
    return { host, problem: undefined };
  } catch (error) {
    return { host, problem: reasonOf(error) };
  }
}

/** Reads whether the bucket locks its objects. Writes nothing. */
async function sinkFindings(environment: Environment): Promise<Finding[]> {
  const {
    AUDIT_SINK,
    AUDIT_RETENTION_DAYS: days,
    AUDIT_S3_ENDPOINT,
  } = validSettings(environment, {
    ...auditSettings,
  });
  if (AUDIT_SINK === undefined || days === undefined) return [];
  const part = "audit sink";
  const problems: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, event: string) => void problems.push(event) };
  // Settings that live mode refuses have a finding already.
  const mode = { DISBURSE_MODE: "sandbox", BACKEND_TLS_BY_MESH: false } as const;
  const settings = { ...mode, AUDIT_SINK, AUDIT_RETENTION_DAYS: days, AUDIT_S3_ENDPOINT };
  try {
    const sink = await openAuditSink(settings, log);
    sink?.close();
    const [problem] = problems;
    return [problem === undefined ? ok(part, AUDIT_SINK) : warning(part, problem)];
  } catch (error) {
    return [failed(part, reasonOf(error))];
  }
}

async function personFindings(environment: Environment): Promise<Found> {
  const part = "persons";
  const { OIDC_ISSUER, OIDC_JWKS_URL, OIDC_JWKS } = commonSettings;
  const given = validSettings(environment, { OIDC_ISSUER, OIDC_JWKS_URL, OIDC_JWKS });
  const clocks: Clock[] = [];
  const found = (finding: Finding): Found => ({ findings: [finding], clocks });
  if (given.OIDC_ISSUER === undefined) {
    return found(warning(part, "no person has access: OIDC_ISSUER is not set"));
  }
  const count = (keys: number) =>
    found(
      keys > 0
        ? ok(part, `${keys} key${keys === 1 ? "" : "s"}`)
        : failed(part, "the provider has no keys"),
    );
  if (given.OIDC_JWKS !== undefined) return count(given.OIDC_JWKS.keys.length);
  if (given.OIDC_JWKS_URL === undefined) return found(failed(part, "OIDC_JWKS_URL is not set"));
  try {
    const response = await fetch(given.OIDC_JWKS_URL, { signal: AbortSignal.timeout(timeoutMs) });
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(date))
      clocks.push({ of: "the provider of persons", differenceMs: date - Date.now() });
    if (!response.ok) return found(failed(part, `OIDC_JWKS_URL: status ${response.status}`));
    const { keys = [] } = (await response.json()) as { readonly keys?: readonly object[] };
    return count(keys.length);
  } catch (error) {
    return found(failed(part, `OIDC_JWKS_URL: ${reasonOf(error)}`));
  }
}

/** Tokens are valid for a minute, so a wrong clock refuses every call. */
function clockFinding(clocks: readonly Clock[]): Finding[] {
  const [worst] = clocks.toSorted(
    (one, two) => Math.abs(two.differenceMs) - Math.abs(one.differenceMs),
  );
  if (worst === undefined) return [];
  const seconds = Math.round(Math.abs(worst.differenceMs) / 1_000);
  const text = `differs by ${seconds} s from ${worst.of}`;
  return [Math.abs(worst.differenceMs) > skewMaxMs ? failed("clock", text) : ok("clock", text)];
}

async function railFinding({ rail, host, port }: RailServer): Promise<Finding> {
  const part = `rail ${rail}`;
  const socket = connectTcp({ host, port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(timeoutMs) });
    return ok(part, `${host}:${port} accepts connections`);
  } catch (error) {
    return failed(part, `${host}:${port}: ${reasonOf(error)}`);
  } finally {
    socket.destroy();
  }
}

const othersThan = (service: string) => peers.filter((peer) => peer !== service);

function peerUrls(environment: Environment, peer: string): readonly string[] {
  const setting = `${peer.toUpperCase()}_URL`;
  return validSettings(environment, { [setting]: serviceUrlSetting.optional() })[setting] ?? [];
}

function peerFindings(service: string, environment: Environment, tls: Tls | undefined) {
  const checks = othersThan(service).map(async (peer): Promise<Finding[]> => {
    const urls = peerUrls(environment, peer);
    if (urls.length === 0) return [];
    // Health checks need no identity.
    const options = { identity: () => "", timeoutMs, tls, peer };
    const { rpc, close } = connectService(Health, urls, options);
    try {
      const { status } = await rpc.check({});
      const part = `peer ${peer}`;
      return [status === Status.SERVING ? ok(part, "serves") : failed(part, "is not ready")];
    } catch (error) {
      return [failed(`peer ${peer}`, reasonOf(error))];
    } finally {
      close();
    }
  });
  return Promise.all(checks).then((found) => found.flat());
}

/** Returns the reason in one line. A network error has it in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string };
  const text = code ?? reason;
  const whole = text === undefined || message.includes(text) ? message : `${message} (${text})`;
  return whole.replace(/^settings: /, "").replaceAll(/\s*\n\s*/g, " ");
}
