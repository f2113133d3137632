import { readFileSync } from "node:fs";
import { type Clock, isoTime } from "@disburse/kernel/time.ts";
import { type PublicRoute, textRoute } from "./static.ts";

const plain = { "Content-Type": "text/plain; charset=utf-8" };

/** Records and payees' links are nothing for a search engine. */
const robots = "User-agent: *\nDisallow: /api/\nDisallow: /b/\nDisallow: /console/\n";

/** RFC 9116 recommends less than a year. */
const trustedMs = 180 * 24 * 60 * 60_000;

/** Builds the routes of files that browsers, crawlers and security researchers request. */
export function siteFiles(contact: string | undefined, clock: Clock): readonly PublicRoute[] {
  const mark = readFileSync(new URL("mark.svg", import.meta.url), "utf8");
  return [
    textRoute("/robots.txt", robots, plain),
    textRoute("/favicon.ico", mark, { "Content-Type": "image/svg+xml" }),
    ...(contact === undefined ? [] : [securityRoute(contact, clock)]),
  ];
}

/** Tells researchers where to report a vulnerability (RFC 9116). */
function securityRoute(contact: string, clock: Clock): PublicRoute {
  return {
    path: "/.well-known/security.txt",
    answer: async () => {
      const expires = isoTime(new Date(clock.now().getTime() + trustedMs));
      const body = `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`;
      return { status: 200, headers: plain, body };
    },
  };
}
