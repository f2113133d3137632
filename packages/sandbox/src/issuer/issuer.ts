import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "@disburse/chassis/log.ts";
import { errors, Provider } from "oidc-provider";
import { type Person, passwordAcr, passwordOf, type SandboxMember } from "../people.ts";
import { type Account, issuerConfiguration, memberAccount } from "./configuration.ts";
import { messagePage, signInPage } from "./pages.ts";

type AttemptLimits = {
  /** The number of wrong guesses that are allowed in quick succession. */
  readonly max: number;
  /** One more guess is allowed after each interval of this length. */
  readonly refillMs: number;
};

type Deps = {
  readonly url: string;
  readonly issuerKey: string;
  readonly log: Log;
  readonly people: () => readonly Person[];
  readonly members: readonly SandboxMember[];
};

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Limits for each person: five guesses in quick succession, then one a minute. */
const passwordLimits = { max: 5, refillMs: 60_000 };
/**
 * Limits for guesses of all secrets together, including device codes: thirty in quick succession,
 * then one every two seconds.
 */
const overallLimits = { max: 30, refillMs: 2_000 };
const bodyBytesMax = 4_096;

const pageHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
/**
 * The content security policy of the sign-in page. After a sign-in, the page redirects to a program
 * on this machine.
 */
const signInPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; " +
  "form-action 'self' http://127.0.0.1:* http://localhost:*";

export function createIssuer(deps: Deps): Listener {
  const { url, issuerKey, log, people } = deps;
  const members = deps.members.map(memberAccount);
  const personOf = (id: string) => [...people(), ...members].find((each) => each.id === id);
  const provider = new Provider(url, issuerConfiguration(issuerKey, personOf));
  provider.on("server_error", (_ctx, error) =>
    log.error({ err: error }, "the sign-in server could not handle a request"),
  );
  const callback = provider.callback();
  const passwords = createAttempts(passwordLimits);
  const overall = createAttempts(overallLimits);
  const { host } = new URL(url);
  const signIn = createSignIn({ provider, passwords, overall, personOf, issuerKey });
  return async (request, response) => {
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    // Prevents DNS rebinding, in which a page on another host name could read the responses.
    if (request.headers.host !== host) {
      sendPage(response, 421, messagePage("Another address", `This is ${url}.`));
      return;
    }
    const { pathname } = new URL(request.url ?? "/", url);
    if (pathname.startsWith("/interaction/")) return signIn(request, response);
    if (pathname === "/device" && request.method === "POST") {
      const waitMs = overall.begin("all", performance.now());
      if (waitMs > 0) return refuseFor(response, waitMs);
    }
    await callback(request, response);
  };
}

type Attempts = ReturnType<typeof createAttempts>;

function createSignIn({
  provider,
  passwords,
  overall,
  personOf,
  issuerKey,
}: {
  readonly provider: Provider;
  readonly passwords: Attempts;
  readonly overall: Attempts;
  readonly personOf: (id: string) => Account | undefined;
  readonly issuerKey: string;
}): Listener {
  /**
   * Returns the person if the password is right. Returns the milliseconds to wait if there were too
   * many guesses.
   */
  const personBy = (name: string, password: string): Account | number | undefined => {
    const nowMs = performance.now();
    const person = personOf(name);
    // Unknown names share one key, so that guesses can't fill the memory.
    const key = person?.id ?? "";
    const waitMs = overall.begin("all", nowMs) || passwords.begin(key, nowMs);
    if (waitMs > 0) return waitMs;
    if (!isEqual(password, passwordOf(issuerKey, name)) || person === undefined) return undefined;
    overall.giveBack("all", nowMs);
    passwords.giveBack(key, nowMs);
    return person;
  };
  return async (request, response) => {
    const details = await provider.interactionDetails(request, response).catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    });
    if (details === undefined) {
      const message = "This sign-in has expired. Go back and start it again.";
      sendPage(response, 400, messagePage("Sign-in expired", message));
      return;
    }
    response.setHeader("content-security-policy", signInPolicy);
    const client = await provider.Client.find(String(details.params.client_id));
    const clientName = client?.clientName ?? "Disburse";
    if (request.method !== "POST") {
      sendPage(response, 200, signInPage(clientName));
      return;
    }
    const form = await readForm(request);
    const person = personBy(form?.get("name") ?? "", form?.get("password") ?? "");
    if (typeof person === "number") return refuseFor(response, person);
    if (person === undefined) {
      const problem = "The name or the password is wrong.";
      sendPage(response, 401, signInPage(clientName, problem));
      return;
    }
    const login = { accountId: person.id, acr: passwordAcr, amr: ["pwd"], remember: false };
    const options = { mergeWithLastSubmission: false };
    await provider.interactionFinished(request, response, { login }, options);
  };
}

function isEqual(given: string, wanted: string): boolean {
  const [left, right] = [given, wanted].map((text) => createHash("sha256").update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** Returns undefined if the form is too long. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

function refuseFor(response: ServerResponse, waitMs: number): void {
  const seconds = Math.ceil(waitMs / 1_000);
  response.setHeader("retry-after", String(seconds));
  sendPage(response, 429, messagePage("Too many attempts", `Wait ${seconds} s, then try again.`));
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
}

/**
 * Limits guesses by key. There is one key for each person's password and one for all guesses
 * together. A guess counts from its start, so that concurrent guesses count too. After a right
 * guess, it is given back.
 */
export function createAttempts({ max, refillMs }: AttemptLimits) {
  const used = new Map<string, { readonly count: number; readonly atMs: number }>();
  const countAt = (key: string, nowMs: number): number => {
    const { count = 0, atMs = nowMs } = used.get(key) ?? {};
    return Math.max(0, count - (nowMs - atMs) / refillMs);
  };
  return {
    /** Counts a guess, or returns the milliseconds until one is allowed. */
    begin: (key: string, nowMs: number): number => {
      const count = countAt(key, nowMs);
      if (count + 1 > max) return Math.ceil((count + 1 - max) * refillMs);
      used.set(key, { count: count + 1, atMs: nowMs });
      return 0;
    },
    giveBack: (key: string, nowMs: number): void => {
      used.set(key, { count: Math.max(0, countAt(key, nowMs) - 1), atMs: nowMs });
    },
  };
}
