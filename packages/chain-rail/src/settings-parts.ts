import type { RailServer } from "@disburse/chassis/service/check.ts";
import { z } from "zod";

/** A whole number in a setting. */
export const count = (min: number, max: number) => z.number().int().min(min).max(max);

/**
 * Allows http and https URLs without a user or password, because error messages of `fetch` would
 * show those.
 */
export const urlSchema = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { username, password } = new URL(text);
  return username === "" && password === "";
}, "must not contain a user name or password");

export function areUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** Returns the servers that a rail calls. URLs may contain keys, so they are cut. */
export function serversAt(rail: string, urls: readonly string[]): RailServer[] {
  return urls.map((url) => {
    const { protocol, hostname, port } = new URL(url);
    // A URL has an IPv6 address in brackets; a socket accepts it only without them.
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return { rail, host, port: Number(port) || (protocol === "https:" ? 443 : 80) };
  });
}

/** Returns true for https, and on this machine also for http. */
export function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isLocal =
    hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
  return protocol === "https:" || isLocal;
}
