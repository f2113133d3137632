import { createHash } from "node:crypto";
import type { PageAnswer } from "../http/answer.ts";
import { consolePath } from "../sessions/rules/session.ts";

/**
 * This policy allows only same-origin resources. It forbids frames, inline scripts and inline
 * styles.
 */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const consoleHeaders = {
  "Content-Security-Policy": consolePolicy,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
} as const;

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}";
const styleHash = createHash("sha256").update(style).digest("base64");
const messagePolicy = consolePolicy.replace("style-src 'self'", `style-src 'sha256-${styleHash}'`);

/**
 * Builds a page that explains a failed sign-in and links to a new one. The texts must be safe HTML.
 */
export function messagePage(status: number, title: string, message: string): PageAnswer {
  const again = `${consolePath}session/login?again=true`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} - Disburse</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${message}</p>
<p><a href="${again}">Sign in again</a></p>
</main>
</body>
</html>
`;
  const headers = {
    ...consoleHeaders,
    "Content-Security-Policy": messagePolicy,
    "Content-Type": "text/html; charset=utf-8",
  };
  return { status, headers, body };
}
