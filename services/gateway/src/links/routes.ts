import type { Client } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  BeneficiaryLinkState,
  type OpenBeneficiaryLinkResponse,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_links_pb.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import { type PageAnswer, refusalAnswer } from "../http/answer.ts";
import { readForm } from "../http/body.ts";
import { serveContent } from "../http/content.ts";
import type { RouterContext } from "../http/observe.ts";
import type { PublicRoute } from "../http/static.ts";
import {
  choicePage,
  closedPage,
  formPage,
  laterPage,
  receivedBeforePage,
  receivedPage,
} from "./page.ts";

export type LinkPageDeps = {
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly log: Log;
};

const path = "/b/:token";
/** The browser keeps a logo for an hour. A changed one has another address. */
const logoCache = "private, max-age=3600";
/** A link's token has 256 random bits in base64url without padding. */
const tokenShape = /^[A-Za-z0-9_-]{43}$/;

/**
 * Builds the routes on which beneficiaries enter their own details. The pages are plain forms
 * without scripts or cookies. Reading a page changes nothing, so link previews don't use up a link.
 */
export function linkRoutes(deps: LinkPageDeps): readonly PublicRoute[] {
  return [
    { path, answer: (ctx) => whereOpen(deps, ctx, async (link) => entryPage(ctx, link)) },
    { path: `${path}/logo.png`, answer: (ctx) => logoAnswer(deps, ctx) },
    {
      path,
      method: "POST",
      answer: (ctx) => whereOpen(deps, ctx, (link, token) => submitted(deps, ctx, link, token)),
    },
  ];
}

/** An open link, with the path of the merchant's logo. */
type Opened = OpenBeneficiaryLinkResponse & { readonly logo: string };

/** Serves the merchant's logo to everyone with one of its links. */
async function logoAnswer({ beneficiary }: LinkPageDeps, ctx: RouterContext): Promise<PageAnswer> {
  const { token = "" } = ctx.params as { readonly token?: string };
  if (!tokenShape.test(token)) return noLogo;
  try {
    const { png, sha256 } = await beneficiary.getLinkLogo({ token });
    const headers = {
      "Content-Type": "image/png",
      "Cache-Control": logoCache,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Referrer-Policy": "no-referrer",
    };
    return await serveContent(sha256, headers, async () => Buffer.from(png), [])(ctx);
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return noLogo;
    if (isUnavailable(error)) return refusalAnswer(refused("SERVICE_UNAVAILABLE"));
    throw error;
  }
}

const noLogo = refusalAnswer(refused("RECORD_NOT_FOUND"));

/** Calls `answer` if the link is open. Otherwise returns a page that explains the link's state. */
async function whereOpen(
  { beneficiary, log }: LinkPageDeps,
  ctx: RouterContext,
  answer: (link: Opened, token: string) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { token = "" } = ctx.params as { readonly token?: string };
  if (!tokenShape.test(token)) return closedPage();
  try {
    const opened = await beneficiary.openBeneficiaryLink({ token });
    const version = opened.logoSha256.slice(0, 16);
    const link = { ...opened, logo: version === "" ? "" : `/b/${token}/logo.png?v=${version}` };
    if (link.state === BeneficiaryLinkState.OPEN) return await answer(link, token);
    if (link.state !== BeneficiaryLinkState.USED) return closedPage(link);
    return ctx.method === "POST" ? receivedBeforePage(link) : receivedPage(link);
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return closedPage();
    if (!isUnavailable(error)) throw error;
    log.warn(
      { err: error },
      "beneficiary link page not served: the beneficiary service is unavailable",
    );
    return laterPage();
  }
}

/**
 * Returns the index of the form that the query selects. If there is only one form, returns its
 * index.
 */
function chosenForm(ctx: RouterContext, { forms }: Opened): number | undefined {
  const { form } = ctx.query;
  const index = forms.length === 1 ? 0 : Number(form ?? Number.NaN);
  return forms[index] === undefined ? undefined : index;
}

function entryPage(
  ctx: RouterContext,
  link: Opened,
  values: Readonly<Record<string, string>> = {},
  problems: ReadonlyMap<string, string> = new Map(),
): PageAnswer {
  const { forms, prefilled } = link;
  const index = chosenForm(ctx, link);
  const form = index === undefined ? undefined : forms[index];
  if (index === undefined || form === undefined) return choicePage(link, forms);
  return formPage(link, { form, index, prefilled, values, problems }, forms.length > 1);
}

async function submitted(
  { beneficiary }: LinkPageDeps,
  ctx: RouterContext,
  link: Opened,
  token: string,
): Promise<PageAnswer> {
  const form = chosenForm(ctx, link);
  if (form === undefined) return choicePage(link, link.forms);
  const values = await readForm(ctx);
  if (isRefused(values)) return refusalAnswer(values);
  const sent = { token, form, values };
  const { state, violations, accepted } = await beneficiary.submitBeneficiaryLink(sent);
  if (violations.length > 0) {
    const problems = new Map(violations.map(({ field, problem }) => [field, problem]));
    return entryPage(ctx, link, values, problems);
  }
  if (state !== BeneficiaryLinkState.USED) return closedPage(link);
  return accepted ? receivedPage(link) : receivedBeforePage(link);
}
