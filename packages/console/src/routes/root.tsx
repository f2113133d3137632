import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, redirect } from "@tanstack/react-router";
import { knownSession, sessionQuery } from "../session/session.ts";
import { SignedIn } from "../session/signed-in.tsx";
import { NotFound } from "../shell/failures.tsx";
import { Shell } from "../shell/shell.tsx";
import { SignIn } from "../shell/sign-in.tsx";
import { textsOf } from "./rules/search.ts";

export type RouteContext = { readonly client: QueryClient };

export const rootRoute = createRootRouteWithContext<RouteContext>()({});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: textsOf("return_to", "error"),
  component: SignIn,
});

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/signed-in",
  component: SignedIn,
});

/**
 * The layout for signed-in people. Other people are redirected to the login page, and back after
 * they have signed in.
 */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    // If the session ends while a page is open, the page asks for a sign-in and keeps its input.
    const session = (await context.client.fetchQuery(sessionQuery)) ?? knownSession();
    if (session === null) {
      const search = { return_to: `/console${location.href}` };
      throw redirect({ to: "/sign-in", search });
    }
    // Without a team, only invitations are available.
    const isTeamless = session.kind === "member" && session.merchant === null;
    if (isTeamless && !location.pathname.endsWith("/invitations")) {
      throw redirect({ to: "/invitations" });
    }
    return { session };
  },
  component: Shell,
});

/** Any other address, with the navigation around the message. */
export const notFoundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "$",
  component: NotFound,
});
