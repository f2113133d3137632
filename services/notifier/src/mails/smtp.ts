import { TimeoutError, withTimeout } from "@disburse/chassis/timeout.ts";
import { createTransport } from "nodemailer";
import type { MailOutcome } from "./rules/mail.ts";
import type { MailText } from "./rules/text.ts";

/** A mail server, as the setting `SMTP_URL` names it. */
export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. Otherwise STARTTLS. */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
};

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** The ports of RFC 8314: submission over TLS, and submission. */
const defaultPorts = { "smtps:": 465, "smtp:": 587 } as const;

/** Reads `smtps://user:password@host:port`. Parameters are refused: they could disable TLS. */
export function readSmtpUrl(text: string): MailServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const form = "must be smtp://user:password@host:port or smtps://… and nothing after the port";
  if (url === undefined || (url.protocol !== "smtp:" && url.protocol !== "smtps:")) {
    throw new TypeError(form);
  }
  const { hostname, port, protocol, username, password, pathname, search, hash } = url;
  if (hostname === "" || !["", "/"].includes(pathname) || search !== "" || hash !== "") {
    throw new TypeError(form);
  }
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: hostname,
    port: port === "" ? defaultPorts[protocol] : Number(port),
    secure: protocol === "smtps:",
    ...(username !== "" && { auth }),
  };
}

/** Limits of one attempt. The total is below the lease of 30 s. */
const stepMs = 10_000;
const attemptMs = 20_000;

export type Mail = MailText & { readonly id: string; readonly to: string };
export type SendMail = (mail: Mail) => Promise<MailOutcome>;

/**
 * Sends each e-mail over a connection of its own: few are sent, and a broken connection then costs
 * only one attempt. Live mode requires TLS with a valid certificate, except on this machine.
 */
export function createMailSender(options: {
  readonly server: MailServer;
  readonly from: string;
  readonly mode: "sandbox" | "live";
}): SendMail {
  const { server, from, mode } = options;
  const isLocal = loopback.has(server.host);
  const transport = createTransport({
    ...server,
    requireTLS: mode === "live" && !isLocal,
    ignoreTLS: isLocal,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf("@") + 1).replace(">", "");
  return async ({ id, to, ...mail }) => {
    try {
      const message = {
        ...mail,
        from,
        // As an object, the address is not parsed, so it stays one recipient.
        to: { name: "", address: to },
        // Mail servers recognise a second copy, which a crash after the first can cause.
        messageId: `<${id}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
      };
      await withTimeout(attemptMs, () => transport.sendMail(message));
      return { kind: "sent" };
    } catch (error) {
      return outcomeOf(error);
    }
  };
}

const permanent = 500;
/** Status codes of RFC 5321 for an unknown mailbox, if there is no enhanced code. */
const noMailbox: ReadonlySet<number> = new Set([550, 551, 553]);

/**
 * Reads the outcome from an error, without its message, which may contain the address. Only a
 * rejected recipient or content is permanent. Anything else, such as a policy of the server or a
 * rejected sender or login, is for an operator to repair.
 */
export function outcomeOf(error: unknown): MailOutcome {
  if (error instanceof TimeoutError) return { kind: "failed", code: "ETIMEDOUT" };
  const { code = "UNKNOWN", command, responseCode = 0 } = error as Partial<SmtpError>;
  const shown = responseCode > 0 ? String(responseCode) : code;
  // The client itself rejects an address that the server can't accept.
  const isUnsendable = code === "EENVELOPE" && command === "API";
  const rejected = isUnsendable ? "address" : rejectedPart(error as Partial<SmtpError>);
  if (rejected === undefined) return { kind: "failed", code: shown };
  return { kind: "refused", isAddress: rejected === "address", code: shown };
}

/** Enhanced codes (RFC 3463): 5.1 but its senders' codes, and 5.2.1, are about the recipient. */
const ofAddress = /^5\.(?:1\.(?![78]$)\d+|2\.1)$/;
/** Routing and policy. A server's policy may be about the sender. */
const ofServer = /^5\.[47]\./;
const authenticationRequired = 530;

function rejectedPart({
  command,
  responseCode = 0,
  response = "",
}: Partial<SmtpError>): "address" | "content" | undefined {
  const isRecipient = command === "RCPT TO";
  if (responseCode < permanent || !(isRecipient || command === "DATA")) return undefined;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const isAddress =
    enhanced === undefined ? isRecipient && noMailbox.has(responseCode) : ofAddress.test(enhanced);
  if (isAddress) return "address";
  const isServer = responseCode === authenticationRequired || ofServer.test(enhanced ?? "");
  return isRecipient || isServer ? undefined : "content";
}

type SmtpError = {
  readonly code: string;
  readonly command: string;
  readonly responseCode: number;
  /** The server's response. It begins with its code. */
  readonly response: string;
};
